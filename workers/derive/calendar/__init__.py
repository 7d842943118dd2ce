"""Dates in English text, one kind of expression a module; `workers.derive.times` is the door.

`words` cuts the text, `numbers` and `reader` read what all rules share, `periods` and `holidays` know the calendar.
`numeric`, `dates`, `shifts`, `relative`, `parts` and `units` each read one kind of date; `grammar` asks the right one,
and `ranges` joins two. A rule looks a bounded number of words around its own, so time is linear in the text.
"""
