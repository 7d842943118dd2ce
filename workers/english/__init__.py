"""What the offline extractor and recall know of English. Pure: text in, values out; no store, no broker, no clock.

Another language is a sibling package with the same doors; nobody else looks inside one:

    dates    `expressions` finds the calendar dates of a text, each a `When`; `TIMES` is the version of its rules
    facts    `Rules(model)` is the `Extractor` (`workers.derive.contract`) that asks no LLM
    names    `stated` finds the proper names in the parts of a statement
    orders   `is_order`, `gives_orders` tell commands to the reader from statements; `ORDERS`
    rating   `rate_fact`, `rate_passage` give tier and importance; `RATING`
    traits   `traits` of a text and those `wanted` by a question; `TRAITS`

The versions go into the fingerprints of what is derived with the rules: output that changes wants a new one.
"""
