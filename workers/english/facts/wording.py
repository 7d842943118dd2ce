"""Writes a statement out as a sentence that stands alone: third person, negation, doubt or plan kept, its date told.

"I haven't been to Oslo" becomes "Ana has not been to Oslo.", "we're moving in May" "Ana is
moving in May 2024." Only regular English is conjugated here; irregular past forms are taken from what was written.
"""

from __future__ import annotations

from datetime import date

from schema.kinds import Modality, Polarity
from workers.english.facts.clauses import Clause
from workers.english.facts.frames import Frame
from workers.english.facts.moments import Moment
from workers.english.facts.refs import Ref

_IRREGULAR = {"be": "is", "have": "has", "do": "does", "go": "goes"}


def sentence(subject: Ref, frame: Frame, told: str | None, moment: Moment | None, upcoming: bool, extra: str) -> str:
    """`told` is the object with its article; `extra` further words that tell how long or how often."""
    group = verb_group(frame, subject.plural, upcoming)
    name = (
        f"the {subject.name}"
        if subject.kind != "name" and subject.owner is None and subject.kind != "speaker"
        else subject.name
    )
    name = called(name)
    parts = [name, group]
    if told and not (frame.when and moment is not None and moment.value):
        parts.append(told)
    if extra:
        parts.append(extra)
    if moment is not None and moment.value:
        parts.append(
            date_phrase(moment, bare=frame.when, lasting=frame.clause.tense in {"present", "perfect"} and not upcoming)
        )
    written = " ".join(part for part in parts if part)
    return f"{written[:1].upper()}{written[1:]}."


def called(name: str) -> str:
    """A name as a sentence has it: a user whose name is not known is "the user", also as an owner."""
    return f"the {name}" if name == "user" or name.startswith("user's ") else name


def opening(ref: Ref) -> str:
    """A name at the head of a sentence."""
    name = called(ref.name)
    return f"{name[:1].upper()}{name[1:]}"


def date_phrase(moment: Moment, *, bare: bool = False, lasting: bool = True) -> str:
    """A date as people write it, with its preposition unless the predicate has it already."""
    value = moment.value or ""
    numbers = [int(part) for part in value.split("-")]
    if len(numbers) == 3:
        day = date(*numbers)
        written, preposition = f"{day.day} {day:%B %Y}", "on"
    elif len(numbers) == 2:
        written, preposition = f"{date(numbers[0], numbers[1], 1):%B %Y}", "in"
    else:
        written, preposition = value, "in"
    if bare:
        return written
    if moment.by:
        return f"by {written}"
    if moment.since and not lasting:
        return f"from {written}"
    return f"{'since' if moment.since else 'until' if moment.until else preposition} {written}"


def verb_group(frame: Frame, plural: bool, upcoming: bool) -> str:
    """The verb with its helpers, negation and the rest of the predicate."""
    clause = frame.clause
    first, _, rest = frame.predicate.partition(" ")
    if first == "get" and clause.passive:
        return (
            f"{_got(clause, plural, negative=clause.polarity is Polarity.NEGATIVE, upcoming=upcoming)} {rest}".strip()
        )
    negative = clause.polarity is Polarity.NEGATIVE
    form = _finite(clause, first, plural, negative=negative, modality=clause.modality(upcoming))
    return f"{form} {rest}".strip()


def _finite(clause: Clause, first: str, plural: bool, *, negative: bool, modality: Modality) -> str:
    denied = ("never " if clause.never else "not ") if negative else ""
    token = clause.verb if clause.prefix else clause.head
    hedged = modality is Modality.HEDGED
    if clause.tense == "past":
        return ("probably " if hedged else "") + _past(clause, first, plural, denied)
    if hedged and clause.tense == "perfect" and token.tag_ in {"VBN", "VBD"}:
        return f"may {denied}have {token.lower_}"
    if hedged:
        return f"may {denied}{first}"
    if clause.tense == "duty":
        return f"{'have' if plural else 'has'} to {first}"
    helpers = {helper.lower_ for helper in clause.helpers}
    if "can" in helpers:
        return f"cannot {first}" if negative else f"can {first}"
    if "would" in helpers or (clause.tense == "future" and not clause.prefix):
        return f"{'would' if 'would' in helpers else 'will'} {denied}{first}"
    return _present(clause, first, plural, denied)


def _present(clause: Clause, first: str, plural: bool, denied: str) -> str:
    token = clause.verb if clause.prefix else clause.head
    be, have = ("are", "have") if plural else ("is", "has")
    if clause.tense == "perfect":
        if clause.progressive:
            return f"{have} {denied}been {token.lower_}"
        return f"{have} {denied}{'been' if first == 'be' else token.lower_ if token.tag_ in {'VBN', 'VBD'} else first}"
    if clause.progressive and token.tag_ == "VBG":
        return f"{be} {denied}{token.lower_}"
    if first == "be":
        return f"{be} {denied}".strip()
    if denied:
        return f"never {third(first, plural)}" if clause.never else f"{'do' if plural else 'does'} not {first}"
    return third(first, plural)


def _got(clause: Clause, plural: bool, *, negative: bool, upcoming: bool) -> str:
    """The "get" of "is getting married", "got hired"."""
    denied = "not " if negative else ""
    if clause.modality(upcoming) is Modality.HEDGED and clause.tense != "past":
        return f"may {denied}get"
    if clause.tense == "past":
        return f"did {denied}get" if negative else "got"
    if clause.tense == "future":
        return f"will {denied}get"
    if clause.tense == "perfect":
        return f"{'have' if plural else 'has'} {denied}got"
    return f"{'are' if plural else 'is'} {denied}getting"


def _past(clause: Clause, first: str, plural: bool, denied: str) -> str:
    token = clause.verb if clause.prefix else clause.head
    was = "were" if plural else "was"
    if clause.verb.lemma_ == "use" and clause.verb != clause.head and not clause.prefix:
        return f"did {denied}use to {first}" if denied else f"used to {first}"
    if clause.progressive:
        return f"{was} {denied}{token.lower_}"
    if any(helper.lower_ == "had" for helper in clause.helpers):
        return f"had {denied}{'been' if first == 'be' else token.lower_}"
    if first == "be":
        return f"{was} {denied}".strip()
    if denied:
        return f"never {token.lower_}" if clause.never and token.tag_ == "VBD" else f"did {denied}{first}"
    if token.tag_ in {"VBD", "VBN"} and token.lemma_.lower() == first:
        return str(token.lower_)
    return {"get": "got", "have": "had"}.get(first, first)


def third(verb: str, plural: bool) -> str:
    """The present of a verb for a third person."""
    if plural:
        return "are" if verb == "be" else verb
    if verb in _IRREGULAR:
        return _IRREGULAR[verb]
    if verb.endswith(("s", "x", "z", "ch", "sh", "o")):
        return f"{verb}es"
    if verb.endswith("y") and verb[-2:-1] not in "aeiou":
        return f"{verb[:-1]}ies"
    return f"{verb}s"


def relation(owner: Ref, noun: str, name: str) -> str:
    """A relation written out."""
    whose = called(owner.name)
    article = "an" if noun[:1] in "aeiou" else "a"
    written = f"{whose} {'have' if owner.plural else 'has'} {article} {noun}, {name}."
    return written[:1].upper() + written[1:]
