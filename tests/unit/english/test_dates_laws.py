"""Laws that hold for every text: real words of dates in any order, and any characters at all."""

import time
from datetime import UTC, date, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workers.english.dates import Prefer, expressions

WORDS = (
    "in|on the|the|of|since|until|before|after|by|from|to|between|and|or later|may|May|March|june|sat|Friday|"
    "monday|weekend|3|3rd|31|2019|1999|'87|87|90s|5/3|5/3/2019|2019-05-03|29 February|last|next|this|past|two|"
    "twenty|few|a|year|years|month|months|week|weeks|days|day|ago|later|early|mid|late|end of|first|second|Q1|"
    "summer|Easter|Christmas|-|,|.|today|now|yesterday|two thousand|nineteen hundred|half|century|business|"
    "to date|every|than"
)

texts = st.lists(st.sampled_from(WORDS.split("|")), max_size=14).map(" ".join) | st.text(max_size=80)
offsets = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
references = st.datetimes(timezones=offsets).map(
    lambda moment: moment.replace(year=1800 + moment.year % 500, day=min(moment.day, 28))
)
anywhere = st.datetimes(timezones=offsets)
preferences = st.sampled_from([None, "past", "future"])


@given(texts, anywhere, preferences)
def test_no_text_and_no_day_of_the_calendar_raises(text: str, reference: datetime, prefer: Prefer) -> None:
    expressions(text, reference, prefer)


@given(texts, references, preferences)
def test_expressions_are_slices_in_order(text: str, reference: datetime, prefer: Prefer) -> None:
    at = 0
    for when in expressions(text, reference, prefer):
        assert at <= when.start < when.stop <= len(text)
        assert text[when.start : when.stop].strip() == text[when.start : when.stop]
        at = when.stop


@given(texts, references, preferences)
def test_bounds_are_midnights_at_the_references_offset(text: str, reference: datetime, prefer: Prefer) -> None:
    for when in expressions(text, reference, prefer):
        bounds = [bound for bound in (when.first, when.last) if bound is not None]
        assert bounds
        assert all(bound.utcoffset() == reference.utcoffset() for bound in bounds)
        assert all((bound.hour, bound.minute, bound.second) == (0, 0, 0) for bound in bounds)
        assert (when.modifier is None) == (len(bounds) == 2)
        assert bounds == sorted(set(bounds))


@given(texts, references, preferences)
def test_the_value_is_iso_and_names_the_beginning(text: str, reference: datetime, prefer: Prefer) -> None:
    for when in expressions(text, reference, prefer):
        named = (when.value + "-01-01")[:10]
        assert datetime.fromisoformat(named)
        assert len(when.value) in {4, 7, 10}
        if when.modifier is None and when.point is None and when.first is not None:
            assert when.first.date().isoformat().startswith(when.value)


@given(references, st.sampled_from(["Friday", "May 3", "February 29", "the 31st", "Christmas Day"]))
def test_a_preference_is_honoured(reference: datetime, name: str) -> None:
    today = reference.replace(hour=0, minute=0, second=0, microsecond=0)
    (past,) = expressions(f"on {name}.", reference, "past")
    (future,) = expressions(f"on {name}.", reference, "future")
    assert past.first is not None
    assert future.first is not None
    assert past.first <= today <= future.first
    assert expressions(f"on {name}.", reference) == [past]


@given(st.dates(date(1900, 1, 1), date(2099, 12, 31)), references)
def test_a_full_date_is_read_in_every_notation(day: date, reference: datetime) -> None:
    for notation in ("%Y-%m-%d", "%d %B %Y", "%B %d, %Y", "%d-%b-%Y", "%m/%d/%Y", "%Y/%m/%d", "%Y%m%d", "%A, %d %B %Y"):
        text = f"It was {day.strftime(notation)}."
        (when,) = expressions(text, reference)
        assert (when.value, text[when.start : when.stop]) == (day.isoformat(), day.strftime(notation)), notation


@pytest.mark.parametrize(
    "piece",
    [
        *("1/", "1-", "2019-", "2019 and ", "5/1/2019-", "week of ", "a week before ", "end of the end of ", "twenty "),
        *(
            "monday ",
            "the first week of ",
            "2 days before ",
            "2 years 1 month and ",
            "early mid late ",
            "` ",
            "- ",
            "'",
        ),
    ],
)
def test_time_is_linear(piece: str) -> None:
    reference = datetime(2021, 6, 16, tzinfo=UTC)

    def seconds(length: int) -> float:
        text = piece * (length // len(piece))
        began = time.process_time()
        expressions(text, reference)
        return time.process_time() - began

    seconds(1_000)
    # Eight times the length: sixty-four times the time if it were quadratic.
    assert min(seconds(40_000) for _ in range(3)) < 30 * max(min(seconds(5_000) for _ in range(3)), 0.005)
