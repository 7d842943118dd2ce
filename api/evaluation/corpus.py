"""A synthetic corpus for benchmarks: as many dialogue turns as wanted, and questions that some of them answer.

For measuring speed and size, and for tests that need many plausible rows; its questions are easy, so it says nothing
about how good recall is (`locomo` and `beam` are for that). The text gives a tagger and an embedder real work:
sentences with names, places, dates, amounts and identifiers, 23 words a turn on average, as in LoCoMo, where short
replies lie between longer tellings.

- Deterministic: one seed, one corpus. `turns(n, seed)` is the beginning of `turns(m, seed)` for m > n, so a store
  filled to one size can be filled on to the next.
- Conversations of two invented people, sessions of 12 to 30 turns, a few days apart, up to 30 sessions; then two
  other people begin. `session_id` is unique in the corpus.
- A turn that tells something keeps its topic and the topic's key in `metadata`, from which `questions` asks.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import islice
from random import Random

from api.evaluation import phrases
from api.evaluation.datasets import Question, Turn

SESSIONS = 30
"""Sessions of one pair of people: LoCoMo's development conversations have 19 to 32."""

_TELLS, _ASIDE, _SECOND_ASIDE = 0.55, 0.5, 0.3
"""Chance that a turn tells something, and of one and a second aside: together they give LoCoMo's mean of 23 words."""

_START = datetime(2023, 1, 9, tzinfo=UTC)
_YEAR_DAYS = 365


def turns(n: int, seed: int) -> list[Turn]:
    """Return the first `n` turns of the corpus of this seed."""
    if n < 0:
        raise ValueError(f"n: expected 0 or more, found {n}")
    return list(islice(_endless(Random(seed)), n))


def questions(told: Sequence[Turn], n: int, seed: int) -> list[Question]:
    """Return up to `n` questions about `told`, fewer when the turns tell too little; gold is every turn on the matter.

    Two turns are on the same matter when speaker, topic and key agree: both may hold the answer.
    """
    matters: dict[tuple[str, ...], list[Turn]] = defaultdict(list)
    for turn in told:
        if "topic" in turn.metadata:
            matters[_matter(turn)].append(turn)
    random = Random(seed)
    chosen = random.sample(sorted(matters), min(n, len(matters)))
    return [_question(number, matters[matter], random) for number, matter in enumerate(chosen, start=1)]


def _matter(turn: Turn) -> tuple[str, ...]:
    return turn.speaker, turn.metadata["topic"], turn.metadata["key"]


def _question(number: int, about: Sequence[Turn], random: Random) -> Question:
    speaker, name, value = _matter(about[0])
    telling = next(telling for telling in phrases.TELLINGS if telling.name == name)
    text = random.choice(telling.asked).format(**{"speaker": speaker, telling.key: value})
    return Question(f"synthetic-{number}", text, name, frozenset(turn.external_id for turn in about))


def _endless(random: Random) -> Iterator[Turn]:
    pair = 0
    while True:
        pair += 1
        people = random.sample(phrases.FIRST_NAMES, 2)
        day = _START + timedelta(days=random.randrange(_YEAR_DAYS))
        for session in range(1, SESSIONS + 1):
            start = day + timedelta(minutes=random.randrange(7 * 60, 22 * 60))
            yield from _session(random, people, f"p{pair}-s{session}", start)
            day += timedelta(days=random.randint(2, 15))


def _session(random: Random, people: list[str], name: str, start: datetime) -> Iterator[Turn]:
    moment = start
    for seq in range(1, random.randint(12, 30) + 1):
        speaker, listener = people if seq % 2 else reversed(people)
        content, metadata = _content(random, seq, speaker, listener, moment)
        yield Turn(f"{name}-{seq}", name, seq, speaker, "user", moment, content, metadata)
        moment += timedelta(seconds=random.randint(8, 90))


def _content(random: Random, seq: int, speaker: str, listener: str, moment: datetime) -> tuple[str, dict[str, str]]:
    if seq == 1:
        return _padded(random, random.choice(phrases.OPENERS).format(listener=listener)), {}
    if random.random() >= _TELLS:
        return _padded(random, random.choice(phrases.REPLIES).format(listener=listener)), {}
    telling = random.choice(phrases.TELLINGS)
    fields = _fields(random, moment, {speaker, listener})
    return _padded(random, telling.said.format(**fields)), {"topic": telling.name, "key": fields[telling.key]}


def _padded(random: Random, text: str) -> str:
    for chance in (_ASIDE, _SECOND_ASIDE):
        if random.random() >= chance:
            break
        text += " " + random.choice(phrases.ASIDES)
    return text


def _fields(random: Random, moment: datetime, talking: set[str]) -> dict[str, str]:
    friend, other = [name for name in random.sample(phrases.FIRST_NAMES, 4) if name not in talking][:2]
    when = moment + timedelta(days=random.randint(1, 120))
    return {
        "friend": friend,
        "other": other,
        "surname": random.choice(phrases.SURNAMES),
        "place": random.choice(phrases.PLACES),
        "venue": f"{random.choice(phrases.VENUE_FIRST)} {random.choice(phrases.VENUE_SECOND)}",
        "when": f"{when.day} {phrases.MONTHS[when.month - 1]}",
        "thing": random.choice(phrases.THINGS),
        "hobby": random.choice(phrases.HOBBIES),
        "job": random.choice(phrases.JOBS),
        "pet": random.choice(phrases.PETS),
        "pet_name": random.choice(phrases.PET_NAMES),
        "count": str(random.randint(18, 95)),
        "code": f"{''.join(random.choices('BCDFGHKLMNPRSTVX', k=2))}-{random.randrange(10**4, 10**5)}",
    }
