"""What each kind of expression means, read on Wednesday 16 June 2021 half an hour before midnight in New York."""

from datetime import datetime, timedelta, timezone

import pytest

from workers.english.dates import Prefer, When, expressions

NEW_YORK = timezone(timedelta(hours=-5))
NOW = datetime(2021, 6, 16, 23, 30, tzinfo=NEW_YORK)


def only(text: str, prefer: Prefer = None, now: datetime = NOW) -> When:
    (when,) = expressions(text, now, prefer)
    return when


def days(when: When) -> tuple[str | None, str | None]:
    """The first day and the first that is no longer in it."""
    return (
        when.first.date().isoformat() if when.first else None,
        when.last.date().isoformat() if when.last else None,
    )


@pytest.mark.parametrize(
    ("text", "words", "value"),
    [
        ("The dentist saw me yesterday.", "yesterday", "2021-06-15"),
        ("We fly the day after tomorrow!", "day after tomorrow", "2021-06-18"),
        ("They painted it last night, badly", "last night", "2021-06-15"),
        ("born on 3 May 1990 in Oslo", "3 May 1990", "1990-05-03"),
        ("May the 3rd, 2019 was dry", "May the 3rd, 2019", "2019-05-03"),
        ("Sept. 12 2020: frost", "Sept. 12 2020", "2020-09-12"),
        ("the twenty-first of June 2020", "twenty-first of June 2020", "2020-06-21"),
        ("filed 2020-02-29 by Ana", "2020-02-29", "2020-02-29"),
        ("backup_20200229.tar", "20200229", "2020-02-29"),
        ("due 2/29/2020", "2/29/2020", "2020-02-29"),
        ("am 31/12/2018 fiel Schnee", "31/12/2018", "2018-12-31"),
        ("on 24.12.2019 we sang", "24.12.2019", "2019-12-24"),
        ("signed 05-Aug-16", "05-Aug-16", "2016-08-05"),
        ("paid on 5/3", "5/3", "2021-05-03"),
        ("Friday 6/11 it broke", "Friday 6/11", "2021-06-11"),
        ("see you on Friday the 13th", "Friday the 13th", "2020-11-13"),
        ("the first Monday of next month", "first Monday of next month", "2021-07-05"),
        ("on the last day of the month", "last day of the month", "2021-06-30"),
        ("the 20th of next month", "20th of next month", "2021-07-20"),
        ("rent is due on the 4th.", "4th", "2021-06-04"),
        ("Tuesday of last week", "Tuesday of last week", "2021-06-08"),
        ("next week Thursday works", "next week Thursday", "2021-06-24"),
        ("two Fridays ago", "two Fridays ago", "2021-06-04"),
        ("two Sundays from now", "two Sundays from now", "2021-06-27"),
        ("on July 4th last year", "July 4th last year", "2020-07-04"),
        ("a week from Friday", "a week from Friday", "2021-06-25"),
        ("ten days before Christmas 2019", "ten days before Christmas 2019", "2019-12-15"),
        ("in 10 working days", "in 10 working days", "2021-06-30"),
        ("on Easter Monday 2022", "Easter Monday 2022", "2022-04-18"),
        ("last Thanksgiving", "last Thanksgiving", "2020-11-26"),
        ("the day after Labor Day 2020", "day after Labor Day 2020", "2020-09-08"),
        ("on 6 April seventeen hundred thirty three", "6 April seventeen hundred thirty three", "1733-04-06"),
    ],
)
def test_a_day(text: str, words: str, value: str) -> None:
    when = only(text)
    assert (text[when.start : when.stop], when.value, when.kind, when.grain) == (words, value, "date", "day")
    assert when.first is not None
    assert when.last == when.first + timedelta(days=1)
    assert when.first.date().isoformat() == value


@pytest.mark.parametrize(
    ("text", "value", "first", "last"),
    [
        ("in March 2019", "2019-03", "2019-03-01", "2019-04-01"),
        ("in 1987", "1987", "1987-01-01", "1988-01-01"),
        ("in '98", "1998", "1998-01-01", "1999-01-01"),
        ("in nineteen eighty-four", "1984", "1984-01-01", "1985-01-01"),
        ("during the 1990s", "1990", "1990-01-01", "2000-01-01"),
        ("in the late 80s", "1986", "1986-01-01", "1990-01-01"),
        ("the 18th century", "1700", "1700-01-01", "1800-01-01"),
        ("last week", "2021-06-07", "2021-06-07", "2021-06-14"),
        ("the week of May 12th", "2021-05-10", "2021-05-10", "2021-05-17"),
        ("week 53 of 2020", "2020-12-28", "2020-12-28", "2021-01-04"),
        ("the week after next", "2021-06-28", "2021-06-28", "2021-07-05"),
        ("last weekend", "2021-06-12", "2021-06-12", "2021-06-14"),
        ("Labor Day 2021 weekend", "2021-09-04", "2021-09-04", "2021-09-07"),
        ("next month", "2021-07", "2021-07-01", "2021-08-01"),
        ("early March 2020", "2020-03-01", "2020-03-01", "2020-03-16"),
        ("at the end of 1989", "1989-09", "1989-09-01", "1990-01-01"),
        ("later this week", "2021-06-16", "2021-06-16", "2021-06-21"),
        ("month to date", "2021-06", "2021-06-01", "2021-06-17"),
        ("Q3 2018", "2018-07", "2018-07-01", "2018-10-01"),
        ("the second half of next year", "2022-07", "2022-07-01", "2023-01-01"),
        ("next quarter", "2021-07", "2021-07-01", "2021-10-01"),
        ("last summer", "2020-06", "2020-06-01", "2020-09-01"),
        ("in May last year", "2020-05", "2020-05-01", "2020-06-01"),
        ("the year before 2015", "2014", "2014-01-01", "2015-01-01"),
        ("third week of January next year", "2022-01-17", "2022-01-17", "2022-01-24"),
        ("2015-W12", "2015-03-16", "2015-03-16", "2015-03-23"),
        ("the summer of '69", "1969-06", "1969-06-01", "1969-09-01"),
        ("the last three weeks", "2021-05-26", "2021-05-26", "2021-06-16"),
        ("over the next two days", "2021-06-17", "2021-06-17", "2021-06-19"),
        ("the past two quarters", "2020-10", "2020-10-01", "2021-04-01"),
        ("the second week of 2021", "2021-01-11", "2021-01-11", "2021-01-18"),
        ("the first ten days of last year", "2020-01-01", "2020-01-01", "2020-01-11"),
        ("the last four months of 2020", "2020-09", "2020-09-01", "2021-01-01"),
        ("a week starting tomorrow", "2021-06-17", "2021-06-17", "2021-06-24"),
        ("within 9 months", "2021-06-16", "2021-06-16", "2022-03-16"),
    ],
)
def test_a_stretch(text: str, value: str, first: str, last: str) -> None:
    when = only(text)
    assert (when.value, *days(when), when.modifier, when.kind) == (value, first, last, None, "daterange")


@pytest.mark.parametrize(
    ("text", "value", "ending", "first", "last"),
    [
        ("from 2015 till 2018", "2015", "2018", "2015-01-01", "2019-01-01"),
        ("Nov-Feb 2017", "2016-11", "2017-02", "2016-11-01", "2017-03-01"),
        ("from November to March", "2020-11", "2021-03", "2020-11-01", "2021-04-01"),
        ("between 3 and 5 May 2019", "2019-05-03", "2019-05-05", "2019-05-03", "2019-05-06"),
        ("May 30 through June 2nd, 2020", "2020-05-30", "2020-06-02", "2020-05-30", "2020-06-03"),
        ("June 9-12", "2021-06-09", "2021-06-12", "2021-06-09", "2021-06-13"),
        ("12/28/2019 - 1/3/2020", "2019-12-28", "2020-01-03", "2019-12-28", "2020-01-04"),
        ("from Monday to Wednesday", "2021-06-14", "2021-06-16", "2021-06-14", "2021-06-17"),
        ("from 2015 to now", "2015", "2021-06-16", "2015-01-01", "2021-06-17"),
        ("from April until the end of June 2020", "2020-04", "2020-06-30", "2020-04-01", "2020-07-01"),
    ],
)
def test_a_range_includes_both_its_ends(text: str, value: str, ending: str, first: str, last: str) -> None:
    when = only(text)
    assert (when.value, when.ending, *days(when)) == (value, ending, first, last)
    assert (when.start, when.stop) == (0, len(text))


@pytest.mark.parametrize(
    ("text", "modifier", "first", "last"),
    [
        ("since March 2019", "since", "2019-03-01", None),
        ("starting next Monday", "since", "2021-06-21", None),
        ("2015 or later", "since", "2015-01-01", None),
        ("until 2018", "until", None, "2019-01-01"),
        ("before 2018", "before", None, "2018-01-01"),
        ("prior to May 3, 2020", "before", None, "2020-05-03"),
        ("after 2018", "after", "2019-01-01", None),
        ("after May 3, 2020", "after", "2020-05-04", None),
        ("by next Friday", "by", None, "2021-06-26"),
        ("by end of year", "by", None, "2022-01-01"),
        ("on or before May 5, 2020", "until", None, "2020-05-06"),
        ("more than two days ago", "before", None, "2021-06-14"),
    ],
)
def test_an_open_end(text: str, modifier: str, first: str | None, last: str | None) -> None:
    when = only(text)
    assert (when.modifier, *days(when), when.start) == (modifier, first, last, 0)


@pytest.mark.parametrize(
    ("text", "value", "point", "grain"),
    [
        ("two months ago", "2021-04", "2021-04-16", "month"),
        ("ten years ago", "2011", "2011-06-16", "year"),
        ("a year and a half ago", "2019-12", "2019-12-16", "month"),
        ("3 weeks ago", "2021-05-26", "2021-05-26", "week"),
        ("in two years", "2023", "2023-06-16", "year"),
        ("2 years 1 month and 3 days later", "2023-07-19", "2023-07-19", "day"),
    ],
)
def test_a_distance_is_as_fine_as_its_finest_unit(text: str, value: str, point: str, grain: str) -> None:
    when = only(text)
    assert (when.value, when.point, when.grain, when.relative) == (value, point, grain, True)
    assert when.first is not None
    assert when.last is not None
    assert when.first.date().isoformat() <= point < when.last.date().isoformat()


def test_vague_amounts_are_marked() -> None:
    assert only("a few days ago").approximate
    assert only("about five years ago").approximate
    assert not only("five years ago").approximate


@pytest.mark.parametrize(
    ("text", "past", "future"),
    [
        ("on Friday", "2021-06-11", "2021-06-18"),
        ("on Wednesday", "2021-06-09", "2021-06-16"),
        ("in March", "2021-03", "2022-03"),
        ("in June", "2021-06", "2021-06"),
        ("May 3", "2021-05-03", "2022-05-03"),
        ("June 16", "2021-06-16", "2021-06-16"),
        ("February 29", "2020-02-29", "2024-02-29"),
        ("on the 31st", "2021-05-31", "2021-07-31"),
        ("at Christmas", "2020-12-25", "2021-12-25"),
        ("in Q3", "2020-07", "2021-07"),
        ("over the weekend", "2021-06-12", "2021-06-19"),
    ],
)
def test_the_tense_decides_which_occurrence(text: str, past: str, future: str) -> None:
    assert only(text, "past").value == past
    assert only(text, "future").value == future


def test_an_amount_in_the_past_tense_tells_how_long() -> None:
    assert expressions("I finished it in two weeks", NOW, "past") == []
    assert expressions("we haven't talked in weeks, not in 3 weeks", NOW) == []
    assert only("I will be back in two weeks", "future").value == "2021-06-30"


def test_the_offset_of_the_reference_decides_the_day() -> None:
    same_moment = NOW.astimezone(timezone(timedelta(hours=9)))
    assert only("today").value == "2021-06-16"
    assert only("today", now=same_moment).value == "2021-06-17"
    assert only("today", now=same_moment).first == datetime(2021, 6, 17, tzinfo=timezone(timedelta(hours=9)))


def test_a_reference_without_an_offset_is_refused() -> None:
    with pytest.raises(ValueError, match="offset"):
        expressions("today", NOW.replace(tzinfo=None))


def test_several_come_in_order_and_share_what_is_said_once() -> None:
    text = "In May and June 2019 we met; since last Tuesday, nothing. The 5th and 6th of May suit."
    found = [(text[when.start : when.stop], when.value) for when in expressions(text, NOW)]
    assert found == [
        ("May", "2019-05"),
        ("June 2019", "2019-06"),
        ("since last Tuesday", "2021-06-15"),
        ("5th", "2021-05-05"),
        ("6th of May", "2021-05-06"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "You may march on; wait a second, the second one is mine.",
        "Version 2.10.2019 and v1.2.3 ship with Python 3.11 on 10.12.20.19",
        "Call 555-1234-2019 or (206) 555-1212, it costs $2019 or 1,999",
        "1-2 people, open 24/7, 1/2 cup and 3/4 tsp, 7/8 done, score 3-2",
        "The Sun reported it, and April told June that May left August's house",
        "every Monday, on Fridays, once a week, each May 3, weekly, any weekend",
        "for 3 weeks, 20-30 days, two years of work, 24 hours later, in 5 minutes",
        "in 2000 words, a total of 2010, 1900 calories, 2020 vision, room 2015",
        "we march 20 miles and may 5 people come, the 4th floor, my 3rd try, first of all",
        "he sat down and wed her; fall down, spring water, mon ami, dec 5 apples",
        "`since 2019-05-03` and https://example.org/2019/05/03/post.html",
        "30 February, 13/13/2019, 2021-02-30, 99/99/99, 0000-00-00",
        "the end of the line, last but not least, next door, the first week of school",
        "her 90s were good, in his early 80s, the other day, up to date, someone to date online",
        "we meet Monday to Friday; week 5 of the course",
        "id 978-3-16-148410-0, 3.14159, 12345678, 4ea7-8418-4d95",
    ],
)
def test_what_is_no_date(text: str) -> None:
    assert [text[when.start : when.stop] for when in expressions(text, NOW)] == []
