"""Finds the dates and stretches of the calendar that an English text names, and says which days they are.

    expressions("I moved here in March 2019", now)  ->  [When("March 2019", value "2019-03", 1 March to 1 April 2019)]

Serves the extraction of facts, where the tense of the verb may say which way to look (`prefer`), and the time anchor of
a question. What it promises:

- the calendar day of the reference is the one of its own offset; all bounds carry that offset;
- an expression is found only where the text can hardly mean anything else: "may", a version, a price, a fraction, a
  phone number, a "second", "every Monday" are none, nor are clock times and lengths of time ("for three weeks");
- a value is as fine as the text: "two months ago" is a month ("2018-08"), and `point` the day that counting gives;
- it raises nothing for any text, in linear time: 100,000 characters made to be slow take about a second.

Own rules, with `dateutil` for the arithmetic of months and for Easter, because the libraries were measured on 490
sentences with marked dates (`api.evaluation.times`; they look like Recognizers-Text's own tests). Our figure is that of
rules written with these sentences in view; a held-out file is the judge:

                                 date   range   invented   sentences/s   last release
    these rules                  .940   .933      1/107         10,900   -
    recognizers-text-date-time   .552   .492      5/107             40   2019, alpha; fails to import with emoji 2
    dateparser 1.5               .534   0        59/107            340   2026
    parsedatetime 2.6            .414   0        15/107          4,600   2020
    timefhuman 0.1.5             .397   .047     48/107          1,160   2026
    ctparse 0.3.6                .319   .026     72/107             50   2022

Invented: sentences without a date in which one was found. Most libraries answer with one moment, never with a range.

Inside, one kind of expression a module. `words` cuts the text and holds the vocabulary, `numbers` and `reader` read
what all rules share, `periods` and `holidays` know the calendar. `numeric`, `named`, `shifts`, `relative`, `parts` and
`units` each read one kind of date; `grammar` asks the right one, `ranges` joins two, `when` adds the open ends. A rule
looks a bounded number of words around its own, so time is linear in the text.
"""

from __future__ import annotations

from workers.english.dates.periods import Prefer
from workers.english.dates.when import When, expressions

__all__ = ["TIMES", "Prefer", "When", "expressions"]

TIMES = "times/1"
"""The version of the rules."""
