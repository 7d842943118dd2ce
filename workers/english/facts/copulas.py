"""Predicates of "be": what somebody is, is like, where they are, and what they are called."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from workers.english.facts import vocabulary as v
from workers.english.facts.clauses import Clause
from workers.english.facts.frames import MANNER, Frame, bare, compares, concrete, joined, object_of
from workers.english.facts.phrases import inside, is_name, members, singular
from workers.english.lexicon import closed

CONDITIONS = closed(
    "married divorced engaged retired widowed vegetarian vegan pescatarian religious pregnant allergic"
    " diabetic asthmatic autistic dyslexic deaf blind epileptic anaemic anemic celiac coeliac colorblind"
    " colourblind left-handed single unemployed self-employed bilingual gay lesbian trans transgender bisexual"
    " straight adopted disabled jewish muslim christian catholic hindu buddhist atheist intolerant dead"
    " deceased vaccinated sober teetotal nonbinary ill tall short-sighted colour-blind color-blind lactose-intolerant"
    " gluten-free non-binary double-jointed ambidextrous"
)
"""Adjectives that say what somebody lastingly is."""
_CONDITION_PARTICIPLES = frozenset(["marry", "divorce", "engage", "retire", "widow", "adopt", "vaccinate"])
_HYPERBOLE = frozenset({"literally", "basically", "practically", "virtually"})
_ON = closed(
    "army navy marines hospital prison jail school college university band choir diet medication antibiotics insulin"
    " leave sabbatical team board committee holiday vacation"
)


def called(clause: Clause) -> list[Frame] | None:
    head = clause.head
    if head.lemma_ not in {"call", "name"}:
        return None
    name = next(
        (
            c
            for c in head.children
            if c.dep_ in {"oprd", "attr", "dobj", "appos", "acomp", "npadvmod"} and c.i > head.i and is_name(c)
        ),
        None,
    )
    if not clause.passive:
        return []
    if name is None:
        return None if any(c.dep_ == "prep" for c in head.children) and head.lemma_ == "name" else []
    return [Frame(clause, "be called", inside(name), name, [head], "called", 0.9)]


def copula(clause: Clause, timed: Collection[int]) -> Iterator[Frame]:
    verb = clause.head
    found = False
    for child in verb.children:
        if (
            (clause.subject is None and child.lower_ != "to")
            or child.i < verb.i
            or (child.i in timed and child.dep_ != "prep")
        ):
            if child.dep_ in {"npadvmod", "advmod", "attr"} and child.i > verb.i and child.head == verb and not found:
                day = [t for t in child.subtree if t.i in timed]
                yield Frame(clause, "be on", day, child, [], "dated", 0.8, dated_only=True, when=True)
            continue
        if child.dep_ == "attr" and not child.tag_.startswith("W"):
            for member in members(child):
                yield from _is_noun(clause, member)
                found = True
        elif child.dep_ == "acomp" or (
            child.dep_ == "advmod" and child.lower_ in {"abroad", "back", "away", "off", "due"}
        ):
            for member in [child, *(c for c in child.children if c.dep_ == "conj" and c.pos_ in {"ADJ", "NOUN"})]:
                yield from _is_adjective(clause, member, timed)
                found = True
        elif child.dep_ == "prep" and not found and not _only_dates(child, verb, timed):
            yield from _is_at(clause, child, timed)


def _only_dates(preposition: Any, verb: Any, timed: Collection[int]) -> bool:
    """Whether a date only tells when somebody was where another preposition has them: "been to Oslo in 2023"."""
    others = (object_of(c) for c in verb.children if c.dep_ == "prep" and c != preposition)
    thing = object_of(preposition)
    return thing is not None and thing.i in timed and any(o is not None and o.i not in timed for o in others)


def _is_noun(clause: Clause, noun: Any) -> Iterator[Frame]:
    if (
        noun.pos_ in {"PRON", "DET", "SCONJ"}
        or (noun.tag_ == "VBG" and any(c.dep_ in {"det", "nummod"} for c in noun.children))
        or noun.lower_ in v.VAGUE
        or noun.lemma_.lower() in v.VAGUE
        or compares(noun)
        or any(c.lower_ in _HYPERBOLE for c in clause.head.children)
        or any(c.lower_ in v.PRAISE | {"such", "quite"} for c in noun.children)
    ):
        return
    someone = (
        clause.subject is None or clause.subject.pos_ in {"PRON", "PROPN"} or singular(clause.subject) in v.PERSONS
    )
    if someone and bare(noun) and noun.tag_ == "NN" and noun.lower_ not in CONDITIONS and not is_name(noun):
        # "I'm game", "we were road tripping": an idiom or a slip of the parser.
        return
    if noun.pos_ == "ADJ" and noun.lower_ not in CONDITIONS and not noun.text[:1].isupper():
        yield from _is_adjective(clause, noun, ())
        return
    yield Frame(clause, joined(clause, "be"), inside(noun), noun, [], "is", 0.85)


def state(clause: Clause, participle: Any, timed: Collection[int]) -> Iterator[Frame]:
    """What lasts: "we've been married since 2011", which the parser takes for a passive."""
    for frame in _is_adjective(clause, participle, timed):
        frame.object = [participle] if frame.head == participle else frame.object
        yield frame


def _is_adjective(clause: Clause, adjective: Any, timed: Collection[int]) -> Iterator[Frame]:
    word = adjective.lower_
    if compares(adjective) or any(c.dep_ in {"ccomp"} for c in adjective.children):
        return
    for preposition in (
        c for c in [*adjective.children, *clause.head.children] if c.dep_ == "prep" and c.i > adjective.i
    ):
        thing = object_of(preposition)
        if (
            thing is not None
            and thing.i not in timed
            and v.KEPT_ADJECTIVES.get(word) == preposition.lower_
            and concrete(thing)
        ):
            for member in members(thing):
                yield Frame(
                    clause,
                    joined(clause, f"be {word} {preposition.lower_}"),
                    inside(member),
                    member,
                    [adjective, preposition],
                    "trait",
                    0.85,
                )
            return
    if v.KEPT_ADJECTIVES.get(word) == "to":
        # "Allergic to shellfish", with the food taken for a verb.
        for verb in (c for c in adjective.children if c.dep_ == "xcomp" and c.i == adjective.i + 2):
            yield Frame(clause, joined(clause, f"be {word} to"), [verb], verb, [adjective], "trait", 0.8)
            return
    measure = next(
        (c for c in adjective.children if c.dep_ == "npadvmod" and any(g.dep_ == "nummod" for g in c.children)), None
    )
    if measure is not None:
        yield Frame(clause, joined(clause, "be"), [*measure.subtree, adjective], adjective, [], "is", 0.85)
    elif word in {"due", "back", "away", "abroad", "off"}:
        yield Frame(clause, f"be {word}", None, None, [adjective], "state", 0.8, dated_only=word != "abroad")
    elif word == "allergic":
        yield Frame(clause, f"be {word}", None, None, [adjective], "open", 0.6)
    elif (
        word in CONDITIONS
        or (adjective.lemma_ in _CONDITION_PARTICIPLES and adjective.tag_ == "VBN")
        or adjective.text[:1].isupper()
        or (word in v.COLOURS and clause.subject is not None and clause.subject.pos_ == "NOUN")
    ) or adjective.pos_ == "NUM":
        yield Frame(clause, joined(clause, "be"), inside(adjective), adjective, [], "is", 0.85)


def _is_at(clause: Clause, preposition: Any, timed: Collection[int]) -> Iterator[Frame]:
    words = [preposition]
    inner = next((c for c in preposition.children if c.dep_ == "prep"), None)
    if inner is not None and object_of(preposition) is None:
        words, preposition = [preposition, inner], inner
    thing = object_of(preposition)
    predicate = joined(clause, " ".join(["be", *(w.lower_ for w in words)]))
    if thing is None:
        return
    if thing.i in timed:
        if words[0].lower_ in {"on", "in", "at"}:
            yield Frame(clause, predicate, inside(thing), thing, words, "dated", 0.8, dated_only=True, when=True)
        return
    marked = any(
        c.dep_ in {"det", "poss", "nummod", "amod", "compound"} and c.lower_ not in {"the", "this", "that"}
        for c in thing.children
    )
    worth = (
        is_name(thing) or thing.lemma_ in _ON or words[0].lower_ == "from" or marked or singular(thing) in v.RELATIONS
    )
    first = words[0].lower_
    if first in {"out", "off"} and len(words) > 1:
        worth = True
    if (
        not worth
        or thing.lemma_.lower() in v.VAGUE | MANNER
        or first in {"like", "about", "for", "of", "than", "as"}
        or not concrete(thing)
    ):
        return
    for member in members(thing):
        yield Frame(clause, predicate, inside(member), member, words, "place", 0.75)
