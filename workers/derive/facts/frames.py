"""Turns a clause into predicates with at most one object each, and leaves out what is not worth keeping.

"I teach chemistry at Brannock High" states two things: (teach, chemistry) and (teach at, Brannock High). Which verbs,
adjectives and objects count is decided by closed classes (`vocabulary`): talk and moods never do, light verbs only with
a concrete object, a verb without an object only if it is an event of a life or a habit.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from typing import Any

from workers.derive.facts import vocabulary as v
from workers.derive.facts.clauses import Clause
from workers.derive.facts.subjects import inside, is_name, members, singular

_CONDITIONS = frozenset(
    "married divorced engaged retired widowed vegetarian vegan pescatarian religious pregnant allergic diabetic asthmatic"
    " autistic dyslexic deaf blind epileptic anaemic anemic celiac coeliac colorblind colourblind left-handed single"
    " unemployed self-employed bilingual gay lesbian trans transgender bisexual straight adopted disabled jewish muslim"
    " christian catholic hindu buddhist atheist intolerant dead deceased vaccinated sober teetotal nonbinary ill tall"
    " short-sighted colour-blind color-blind lactose-intolerant gluten-free non-binary double-jointed ambidextrous".split()
)
"""Adjectives that say what somebody lastingly is."""
_CONDITION_PARTICIPLES = frozenset("marry divorce engage retire widow adopt vaccinate".split())
_GET_STATES = frozenset("married divorced engaged promoted fired hired accepted".split())
_MEETINGS = frozenset("appointment meeting interview call date lunch dinner session consultation".split())
_ROLE_PREPOSITIONS = frozenset(
    {"as", "at", "in", "for", "with", "to", "from", "on", "into", "near", "after", "by", "under", "of"}
)
_ON = frozenset("diet medication antibiotics insulin leave sabbatical team board committee holiday vacation".split())
_MANNER = frozenset(
    "way time moment case end fact order general advance person touch love mind total track mood need middle".split()
)


@dataclass(slots=True)
class Frame:
    """One thing that a clause says of its subject.

    `object` holds the tokens of the object, None when there is none; `head` is its head. `tokens` are further words that
    the frame rests on (the preposition, the participle). `sureness` in (0, 1] feeds the confidence. `dated_only`: worth
    keeping only with a date. `when`: the object is a date.
    """

    clause: Clause
    predicate: str
    object: list[Any] | None = None
    head: Any | None = None
    tokens: list[Any] = field(default_factory=list)
    kind: str = "plain"
    sureness: float = 0.8
    dated_only: bool = False
    when: bool = False


def frames(clause: Clause, timed: Collection[int]) -> Iterator[Frame]:
    """What a clause says, by its verb. `timed` holds the positions of tokens that only tell a time."""
    head, lemma = clause.head, clause.head.lemma_.lower()
    called = _called(clause)
    if called is not None:
        yield from called
    elif lemma == "be" and not clause.passive:
        yield from _copula(clause, timed)
    elif clause.passive:
        yield from _passive(clause, timed)
    elif lemma == "get" and (state := _get_state(head)) is not None:
        yield from _with_prepositions(clause, f"get {state.lower_}", [state], state, timed, LIFE)
    elif lemma not in v.TALK or clause.prefix:
        yield from _active(clause, lemma, timed)


LIFE = 0.85


def _called(clause: Clause) -> list[Frame] | None:
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


def _copula(clause: Clause, timed: Collection[int]) -> Iterator[Frame]:
    verb = clause.head
    found = False
    for child in verb.children:
        if child.i < verb.i or child.i in timed and child.dep_ != "prep":
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
        elif child.dep_ == "prep" and not found:
            yield from _is_at(clause, child, timed)


def _is_noun(clause: Clause, noun: Any) -> Iterator[Frame]:
    if (
        noun.pos_ in {"PRON", "DET", "SCONJ"}
        or noun.lower_ in v.VAGUE
        or noun.lemma_.lower() in v.VAGUE
        or _compares(noun)
    ):
        return
    if noun.pos_ == "ADJ" and noun.lower_ not in _CONDITIONS and not noun.text[:1].isupper():
        yield from _is_adjective(clause, noun, ())
        return
    yield Frame(clause, _joined(clause, "be"), inside(noun), noun, [], "is", 0.85)


def _is_adjective(clause: Clause, adjective: Any, timed: Collection[int]) -> Iterator[Frame]:
    word = adjective.lower_
    if _compares(adjective) or any(c.dep_ in {"ccomp"} for c in adjective.children):
        return
    for preposition in (
        c for c in [*adjective.children, *clause.head.children] if c.dep_ == "prep" and c.i > adjective.i
    ):
        thing = _object_of(preposition)
        if (
            thing is not None
            and thing.i not in timed
            and v.KEPT_ADJECTIVES.get(word) == preposition.lower_
            and _concrete(thing)
        ):
            for member in members(thing):
                yield Frame(
                    clause,
                    _joined(clause, f"be {word} {preposition.lower_}"),
                    inside(member),
                    member,
                    [adjective, preposition],
                    "trait",
                    0.85,
                )
            return
    if word in {"due", "back", "away", "abroad", "off"}:
        yield Frame(clause, f"be {word}", None, None, [adjective], "state", 0.8, dated_only=word != "abroad")
    elif word in {"allergic", "afraid", "scared", "terrified"}:
        yield Frame(clause, f"be {word}", None, None, [adjective], "open", 0.6)
    elif (
        word in _CONDITIONS
        or (adjective.lemma_ in _CONDITION_PARTICIPLES and adjective.tag_ == "VBN")
        or adjective.text[:1].isupper()
    ):
        yield Frame(clause, _joined(clause, "be"), inside(adjective), adjective, [], "is", 0.85)
    elif adjective.pos_ == "NUM":
        yield Frame(clause, _joined(clause, "be"), inside(adjective), adjective, [], "is", 0.85)
    elif (
        word not in v.MOODS
        and adjective.tag_ == "JJ"
        and not word.endswith(("ing", "ed", "ful", "some", "ive", "ous", "able", "ible", "y"))
    ):
        yield Frame(clause, _joined(clause, "be"), inside(adjective), adjective, [], "quality", 0.65)


def _is_at(clause: Clause, preposition: Any, timed: Collection[int]) -> Iterator[Frame]:
    words = [preposition]
    inner = next((c for c in preposition.children if c.dep_ == "prep"), None)
    if inner is not None and _object_of(preposition) is None:
        words, preposition = [preposition, inner], inner
    thing = _object_of(preposition)
    predicate = _joined(clause, " ".join(["be", *(w.lower_ for w in words)]))
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
        or thing.lemma_.lower() in v.VAGUE | _MANNER
        or first in {"like", "about", "for", "of", "than", "as"}
        or not _concrete(thing)
    ):
        return
    for member in members(thing):
        yield Frame(clause, predicate, inside(member), member, words, "place", 0.75)


def _passive(clause: Clause, timed: Collection[int]) -> Iterator[Frame]:
    head = clause.head
    predicate = _joined(clause, " ".join(["be", head.lower_, *(p.lower_ for p in _particles(head))]))
    if head.lemma_.lower() in v.TALK | {
        "do",
        "suppose",
        "use",
        "involve",
        "touch",
        "move",
        "inspire",
        "bless",
        "fill",
        "surround",
        "make",
        "make_up",
    } or head.lemma_ in {"mean"}:
        return
    sure = LIFE if head.lemma_ in _BIOGRAPHY else 0.7
    yield from _with_prepositions(clause, predicate, [head, *_particles(head)], head, timed, sure, passive=True)


_BIOGRAPHY = frozenset(
    "bear raise name hire fire promote diagnose elect award accept invite bury adopt base locate write build make found own".split()
)


def _active(clause: Clause, lemma: str, timed: Collection[int]) -> Iterator[Frame]:
    head = clause.head
    particles = _particles(head)
    if lemma == "get" and "have" in {h.lemma_ for h in clause.helpers} and head.lower_ == "got":
        lemma, clause.tense = "have", "present"
    predicate = _joined(clause, " ".join([lemma, *(p.lower_ for p in particles)]))
    objects = [c for c in head.children if c.dep_ in {"dobj", "oprd"} and c.i > head.i and c.i not in timed]
    gap = _gap(clause)
    if gap is not None:
        yield Frame(clause, predicate, inside(gap), gap, particles, "gap", 0.75)
        return
    gerunds = [c for c in head.children if c.dep_ in {"xcomp", "pcomp"} and c.tag_ == "VBG" and c.i > head.i]
    if not objects and gerunds and lemma in v.PSYCH:
        yield from _likes_doing(clause, predicate, gerunds[0])
        return
    whole = [m for o in objects[-1:] for m in members(o) if m.i not in timed]
    kept = [member for member in whole if _worth_having(clause, lemma, member)]
    for member in kept:
        yield from _has(clause, predicate, lemma, member, particles)
    if objects and not kept:
        return
    if any(c.dep_ in {"ccomp", "xcomp"} and c.i > head.i for c in head.children):
        return
    sure = 0.8 if not v.CHATTY & {lemma} else 0.7
    yield from _with_prepositions(clause, predicate, [*particles], head, timed, sure, further=bool(objects))


def _likes_doing(clause: Clause, predicate: str, gerund: Any) -> Iterator[Frame]:
    for member in [gerund, *(c for c in gerund.children if c.dep_ == "conj" and c.pos_ in {"VERB", "NOUN"})]:
        if member.lemma_.lower() in v.TALK | {"be", "do", "have", "go"} and not any(
            c.dep_ == "dobj" for c in member.children
        ):
            continue
        tokens = [t for t in inside(member) if not any(a.dep_ in {"conj", "advcl"} for a in [t]) or t == member]
        yield Frame(clause, predicate, tokens, member, [], "plain", 0.8)


def _has(clause: Clause, predicate: str, lemma: str, member: Any, particles: list[Any]) -> Iterator[Frame]:
    tokens = inside(member)
    if lemma in {"have", "get"} and member.lemma_ in _MEETINGS:
        link = next((c for c in member.children if c.dep_ == "prep" and c.lower_ == "with"), None)
        other = _object_of(link) if link is not None else None
        if link is not None and other is not None:
            yield Frame(clause, f"have {member.lower_} with", inside(other), other, [member, link], "meeting", 0.85)
            return
    sure = 0.9 if lemma in v.PSYCH | {"have", "own", "speak", "play", "study", "teach"} else 0.8
    yield Frame(
        clause,
        predicate,
        tokens,
        member,
        particles,
        "has" if lemma == "have" else "plain",
        sure if lemma not in v.CHATTY - {"have"} else 0.65,
    )


def _worth_having(clause: Clause, lemma: str, noun: Any) -> bool:
    """Whether an object says something without its context."""
    if noun.pos_ in {"PRON", "DET", "ADV", "SCONJ"} and noun.lower_ not in {"it", "him", "her", "them"}:
        return False
    if noun.lemma_.lower() in v.VAGUE or noun.lower_ in v.VAGUE or _compares(noun):
        return False
    if any(
        c.lower_ in {"so", "such", "what", "which", "your", "that", "this", "those", "these", "some"}
        and c.dep_ in {"det", "poss", "predet", "advmod"}
        for c in noun.children
    ):
        return lemma in v.PSYCH | {"live", "own"} and False
    if lemma in v.CHATTY - {"have"}:
        return (
            is_name(noun)
            or any(c.dep_ in {"nummod", "poss"} or c.lower_ in {"a", "an", "my"} for c in noun.children)
            or any(c.dep_ in {"compound"} for c in noun.children)
        )
    if lemma == "have" and noun.tag_ == "NN":
        return (
            any(c.dep_ in {"det", "poss", "nummod", "amod", "compound"} for c in noun.children)
            or clause.negative
            or is_name(noun)
            or noun.pos_ == "NOUN"
        )
    return True


def _with_prepositions(
    clause: Clause,
    predicate: str,
    words: list[Any],
    head: Any,
    timed: Collection[int],
    sure: float,
    *,
    passive: bool = False,
    further: bool = False,
) -> Iterator[Frame]:
    """The frames of a verb's prepositional objects; the bare verb where it has none and counts by itself.

    `further`: the verb has an object already, so only a name or a relation is worth another frame.
    """
    found = False
    lemma = head.lemma_.lower()
    for preposition in _prepositions(head):
        thing = _object_of(preposition)
        first = preposition.lower_
        if thing is None or first not in v.PLACES | {"within", "over", "against", "across"}:
            continue
        if thing.i in timed:
            if passive and clause.head.lower_ in {"born", "founded", "built"} and not found:
                yield Frame(
                    clause,
                    f"{predicate} {first}",
                    inside(thing),
                    thing,
                    [*words, preposition],
                    "dated",
                    sure,
                    when=True,
                )
                found = True
            continue
        if not _concrete(thing) or thing.lemma_.lower() in _MANNER | v.VAGUE:
            continue
        particular = is_name(thing) or singular(thing) in v.RELATIONS or any(c.dep_ == "poss" for c in thing.children)
        if (further or found) and not (particular and first in _ROLE_PREPOSITIONS) and not (found and first == "as"):
            continue
        if lemma in v.CHATTY and not particular and not (clause.tense != "present" and _determined(thing)):
            continue
        for member in members(thing):
            if member.pos_ in {"NOUN", "PROPN", "NUM", "X", "PRON"}:
                yield Frame(
                    clause,
                    f"{predicate} {first}",
                    inside(member),
                    member,
                    [*words, preposition],
                    "prep",
                    sure if particular else sure - 0.05,
                )
                found = True
    if found or further:
        return
    key = predicate.replace(" ", "_")
    adverb = next(
        (
            c
            for c in head.children
            if c.dep_ == "advmod"
            and c.lower_ in {"abroad", "alone", "downtown", "nearby", "remotely", "overseas", "upstairs"}
        ),
        None,
    )
    if adverb is not None and lemma in {"live", "work", "study", "move"}:
        yield Frame(clause, predicate, [adverb], adverb, words, "plain", 0.75)
    elif key in v.LIFE_EVENTS or (passive and lemma in {"promote", "fire", "hire", "elect", "accept"}):
        yield Frame(clause, predicate, None, None, words, "event", LIFE)
    elif lemma in v.HABITS and clause.tense in {"present", "perfect"} and not clause.progressive and not passive:
        yield Frame(clause, predicate, None, None, words, "habit", 0.75)
    elif lemma not in v.TALK:
        yield Frame(clause, predicate, None, None, words, "event", 0.6, dated_only=True)


def _prepositions(head: Any) -> Iterator[Any]:
    for child in head.children:
        if child.dep_ in {"prep", "agent"} and child.i > head.i:
            yield child
            inner = next((c for c in child.children if c.dep_ == "prep"), None)
            if inner is not None and _object_of(child) is None:
                yield inner
        elif child.dep_ == "advmod" and child.lower_ in {"back", "together", "out"}:
            yield from (c for c in child.children if c.dep_ == "prep")


def _object_of(preposition: Any) -> Any | None:
    return next((child for child in preposition.children if child.dep_ in {"pobj"}), None)


def _particles(head: Any) -> list[Any]:
    return [
        c
        for c in head.children
        if c.i == head.i + 1 and (c.dep_ == "prt" or (c.dep_ == "advmod" and c.lower_ in {"back", "out", "away"}))
    ]


def _get_state(head: Any) -> Any | None:
    return next((c for c in head.children if c.lower_ in _GET_STATES and c.i > head.i), None)


def _gap(clause: Clause) -> Any | None:
    """What a relative clause without an object is about: "the flat I rent"."""
    verb = clause.verb
    if verb.dep_ != "relcl" or clause.relative or verb.head.i > verb.i:
        return None
    if any(
        c.dep_ in {"dobj", "attr", "oprd", "acomp", "ccomp"} and c.tag_ not in {"WDT", "WP"}
        for c in clause.head.children
    ):
        return None
    if (
        any(c.dep_ == "prep" for c in clause.head.children)
        or verb.head.pos_ not in {"NOUN", "PROPN"}
        or verb.head.lemma_ in v.VAGUE
    ):
        return None
    if clause.head.lemma_.lower() in v.CHATTY | {"be"} or clause.head.dep_ == "conj":
        return None
    return verb.head


def _joined(clause: Clause, predicate: str) -> str:
    if not clause.prefix:
        return predicate
    words = predicate.split(" ")
    if len(clause.prefix) == 1:
        words[0] = clause.head.lower_
    return " ".join([*clause.prefix, *words])


def _concrete(noun: Any) -> bool:
    return (
        noun.pos_ in {"NOUN", "PROPN", "NUM", "X"}
        or noun.lower_ in {"us", "me", "him", "her", "them", "it"}
        or noun.text[:1].isupper()
    )


def _determined(noun: Any) -> bool:
    return any(c.dep_ in {"det", "nummod", "compound", "poss"} for c in noun.children)


def _compares(word: Any) -> bool:
    return any(
        c.lower_ in {"as", "too", "more", "less", "than", "like", "such"}
        and c.dep_ in {"advmod", "prep", "predet", "amod"}
        for c in word.children
    )
