"""Noun phrases of a parsed piece: their members, their words, their names, whose they are."""

from __future__ import annotations

from typing import Any

from workers.english.dates.words import MONTH_NAMES, WEEKDAY_NAMES
from workers.english.facts import vocabulary as v
from workers.english.lexicon import closed

POSSESSIVES = {"my": "I", "our": "we", "his": "he", "her": "she", "hers": "she", "their": "they", "its": "it"}
_NOT_IN_A_NAME = closed("relcl appos acl cc conj punct advcl predet mark preconj parataxis intj")
_NAMED_VERBS = frozenset({"call", "name"})
CALENDAR = frozenset({*WEEKDAY_NAMES, *MONTH_NAMES})
"""Words with a capital that name nobody."""


def members(token: Any) -> list[Any]:
    """The members of a list of nouns, the first first."""
    found = [_measured(token)]
    for child in token.children:
        if child.dep_ == "conj" and child.pos_ in {"NOUN", "PROPN", "PRON", "NUM", "X"}:
            if child.tag_ == "NN" and _bare(child) and not _bare(token) and singular(child) not in v.RELATIONS:
                # "We watch movies, hike, and cook": a verb that the tagger took for a noun.
                continue
            if any(c.dep_ == "amod" and c.lower_.endswith("ed") for c in child.children) and not has(child, "det"):
                # "We explored caves, roasted nuts": another one.
                continue
            found.extend(members(child))
    return found


def _bare(noun: Any) -> bool:
    """Whether a common noun in the singular stands without any word of its own."""
    return noun.tag_ == "NN" and not any(c.dep_ in {"det", "poss", "amod", "compound", "nummod"} for c in noun.children)


def bare_list(noun: Any) -> bool:
    return not is_name(noun) and not any(c.dep_ in {"det", "poss", "nummod"} for c in noun.children)


def _measured(token: Any) -> Any:
    """What is meant by "a bit of", "a couple of" something."""
    if token.lower_ in {"bit", "couple", "lot", "lots", "pair", "number", "tons", "loads", "kind", "sort", "little"}:
        for child in token.children:
            if child.dep_ == "prep" and child.lower_ == "of":
                return next((inner for inner in child.children if inner.dep_ == "pobj"), token)
    return token


def inside(head: Any) -> list[Any]:
    """The tokens of a phrase without clauses, lists and appositions that hang on it."""
    found = [head]
    for child in head.children:
        if (
            child.dep_ == "case"
            or child.lower_ == "longer"
            or (child.dep_ == "advmod" and child.i < head.i and head.pos_ == "NOUN")
        ):
            continue
        reading = (
            child.dep_ == "acl"
            and child.tag_ == "VBG"
            and child.i == head.i + 1
            and not any(c.dep_ in {"dobj", "prep"} for c in child.children)
        )
        if (
            child.dep_ in _NOT_IN_A_NAME
            and not reading
            and not (child.dep_ == "punct" and child.text in {"%", "-", "$", "#"})
        ):
            continue
        found.extend(_kept_subtree(child))
    return sorted(found, key=lambda token: token.i)


def _kept_subtree(token: Any) -> list[Any]:
    return [
        token,
        *(
            t
            for child in token.children
            if child.dep_ not in {"relcl", "punct", "advcl", "appos"}
            for t in _kept_subtree(child)
        ),
    ]


def possessor(head: Any) -> Any | None:
    for child in head.children:
        if child.dep_ == "poss":
            return child
        if child.dep_ == "prep" and child.lower_ == "of":
            for inner in child.children:
                if inner.lower_ in {"mine", "ours"}:
                    return inner
    for child in head.children:
        if child.dep_ in {"compound", "nmod"}:
            inner = next((grand for grand in child.children if grand.dep_ == "poss"), None)
            if inner is not None:
                return inner
    return None


def before(head: Any, noun: Any) -> list[Any]:
    """The words that lead up to the noun of a relation: "my older" in "my older sister Ana"."""
    kinds = {"poss", "det", "nummod", "amod", "compound"}
    return [t for t in head.subtree if noun.i - 4 <= t.i < noun.i and t.dep_ in kinds]


def possessing(token: Any, head: Any) -> bool:
    """Whether a token is part of the "my" or "Ana's" of a phrase, or of its "of mine"."""
    node = token
    while node != head:
        if node.dep_ == "poss" and (node.head == head or node.head.head is head):
            return True
        if node.lower_ == "of" and any(c.lower_ in {"mine", "ours"} for c in node.children):
            return True
        node = node.head
    return False


def relation_parts(head: Any) -> tuple[Any | None, list[Any], list[Any]]:
    """The relation's noun, the names, and the words between ("called")."""
    if head.pos_ == "NOUN" or (head.pos_ == "PROPN" and singular(head) in v.RELATIONS):
        for child in head.children:
            if child.dep_ == "appos" and is_name(child) and child.i > head.i:
                return head, [name for name in members(child) if is_name(name)], []
            if (child.dep_ == "acl" and child.lemma_ in _NAMED_VERBS) or child.lower_ in {"called", "named"}:
                name = next(
                    (g for g in child.children if g.dep_ in {"oprd", "attr", "dobj", "appos"} and is_name(g)), None
                )
                if name is not None:
                    return head, members(name), [child]
        names = [c for c in head.children if c.dep_ == "conj" and is_name(c)]
        if names and head.tag_ in {"NNS", "NNPS"} and singular(head) in v.RELATIONS:
            # "Two sons, Milo and Arvo", read as a list.
            return head, [name for first in names for name in members(first)], []
    if is_name(head):
        role = next(
            (c for c in head.children if c.dep_ == "appos" and singular(c) in v.RELATIONS and has(c, "poss")), None
        )
        if role is not None:
            return role, [head], []
        last = head.doc[head.i - 1] if head.i else head
        if head.i > 1 and singular(last) in v.RELATIONS and last.dep_ != "conj" and head.nbor(-2).lower_ in POSSESSIVES:
            # "My gf Nadja doesn't": side by side, whatever the parser makes of it.
            return last, [head], []
        nouns = [
            c
            for c in head.children
            if c.dep_ in {"compound", "nmod", "poss", "amod"} and singular(c) in v.RELATIONS and c.i < head.i
        ]
        if nouns and nouns[-1].lower_ not in {"'s"} and not any(c.lower_ == "'s" for c in nouns[-1].children):
            return nouns[-1], [head], []
    return None, [], []


def relation_label(noun: Any, kind: str) -> str:
    """How the relation is called: "school friend", "older sister"."""
    holder = noun if noun.dep_ not in {"compound", "nmod"} else noun.head
    before = [
        child.lower_
        for child in sorted({*noun.children, *holder.children}, key=lambda token: token.i)
        if child.dep_ in {"amod", "compound"} and child.i < noun.i and not is_name(child) and child.pos_ != "NUM"
    ]
    return " ".join([*before, kind])


def is_name(token: Any) -> bool:
    """Whether a token is a name rather than a word."""
    if token.lower_ in CALENDAR:
        return False
    if token.i in token.doc.user_data.get("names", ()):
        return singular(token) not in v.RELATIONS
    if token.pos_ == "PROPN":
        return token.lower_ not in v.FILLERS and not (token.lower_ in v.ADDRESSED or singular(token) in v.KIN)
    if token.i == 0 and token.tag_ == "NN" and token.text.istitle() and not has(token, "det") and len(token.doc) > 1:
        # An ordinary word that begins a sentence is a name if it does something and "she" or "he" follows.
        return token.nbor().pos_ in {"VERB", "AUX"} and any(
            t.lower_ in {"he", "she", "her", "his", "him"} for t in token.doc
        )
    return token.text[:1].isupper() and token.pos_ in {"NOUN", "X", "ADJ"} and token.i > 0 and token.text not in {"I"}


def name_tokens(head: Any, after: Any | None = None) -> list[Any]:
    """The tokens of a name: its head and the capitalised words before it, from behind `after` on."""
    found = [
        child
        for child in head.children
        if child.dep_ in {"compound", "nmod", "amod", "flat", "nummod", "poss", "case"}
        and abs(child.i - head.i) < 5
        and (child.text[:1].isupper() or child.lower_ in {"'s", "&"} or child.text.isdigit())
        and child.lower_ not in POSSESSIVES
        and (after is None or child.i > after.i)
        and singular(child) not in v.RELATIONS
    ]
    found = [t for t in found if not (t.lower_ == "'s" and t.i > head.i)]
    return [
        *(
            inner
            for child in found
            for inner in [*(g for g in child.subtree if g.text[:1].isupper() or g.lower_ == "'s" or _numbers(g, head))]
        ),
        head,
    ]


def _numbers(token: Any, head: Any) -> bool:
    """Whether a number tells which: "Locker 12"."""
    return bool(token.i == head.i + 1 and token.text.isdigit() and head.text[:1].isupper())


def singular(token: Any) -> str:
    """The noun of a relation in its plain form: "kids" is "child"."""
    word = token.lower_
    if token.tag_ in {"NNS", "NNPS"} or (word not in v.RELATIONS and word.endswith("s")):
        irregular = {
            "children": "child",
            "wives": "wife",
            "mice": "mouse",
            "geese": "goose",
            "puppies": "puppy",
            "babies": "baby",
            "kitties": "kitty",
            "nannies": "nanny",
            "bunnies": "bunny",
            "ponies": "pony",
        }
        base = irregular.get(
            word, word[:-1] if word.endswith("s") and word[:-1] in v.RELATIONS | set(v.SHORT_RELATIONS) else word
        )
        word = base
    return str(v.SHORT_RELATIONS.get(word, word))


def has(token: Any, dep: str) -> bool:
    return any(child.dep_ == dep for child in token.children)
