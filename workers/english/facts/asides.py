"""What a turn states beside its clauses: "my daughter Vera", "Ines, now a potter", and clauses left unfinished."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from workers.english.facts import vocabulary as v
from workers.english.facts import wording
from workers.english.facts.clauses import Clause
from workers.english.facts.frames import Frame
from workers.english.facts.phrases import inside, is_name, members, singular
from workers.english.facts.refs import Ref, Relation, possessive, title
from workers.english.facts.stances import stance_of
from workers.english.facts.subjects import Context

_OWNERS = frozenset({"my", "our", "his", "her", "their", "'s", "mine", "ours", "have", "has", "called", "named"})
_BE = frozenset({"is", "are", "am", "was", "were", "be"})


@dataclass(frozen=True, slots=True)
class Aside:
    """A statement that needs no verb of its own; `tokens` is what it rests on."""

    subject: Ref
    predicate: str
    object: str
    text: str
    tokens: tuple[Any, ...]
    sureness: float


def relations(context: Context, doc: Any, *, stated: bool) -> Iterator[Aside]:
    """The relations that the phrases of a piece make. `stated`: the piece claims something, it is no question."""
    words = {token.lower_ for token in doc}
    if words & _OWNERS and (doc.user_data["names"] or any(t.pos_ == "PROPN" or t.text.istitle() for t in doc)):
        for token in doc:
            if token.pos_ in {"NOUN", "PROPN"} and token.dep_ not in {"compound", "poss"}:
                context.phrase(token)
    if stated and "call" in words | {w.removesuffix("s").removesuffix("ed") for w in words}:
        yield from _nickname(context, doc)
    if stated and words & _BE:
        _kin_by_copula(context, doc)
    for relation in context.relations:
        if relation.tokens and relation.tokens[0].doc is doc:
            yield Aside(
                relation.owner,
                f"have {relation.noun}",
                relation.name.name,
                wording.relation(relation.owner, relation.noun, relation.name.name),
                relation.tokens,
                0.9 if stated else 0.75,
            )


def _nickname(context: Context, doc: Any) -> Iterator[Aside]:
    """What the speaker goes by: "everyone calls me Kit", "just call me Kit"."""
    for verb in doc[:-2]:
        name = doc[verb.i + 2]
        if verb.lemma_ != "call" or doc[verb.i + 1].lower_ != "me" or context.first is None or not is_name(name):
            continue
        if any(t.lower_ in {"not", "never", "if", "when", "did", "will"} for t in doc[: verb.i]):
            continue
        told = name.text
        text = f"{wording.opening(context.first)} goes by {told}."
        yield Aside(context.first, "go by", told, text, (verb, doc[verb.i + 1], name), 0.8)


def _kin_by_copula(context: Context, doc: Any) -> None:
    """Note the relations of "my sister is Ana", "they're my kids", "Rex is my dog"."""
    for verb in doc:
        if verb.lemma_ != "be" or verb.pos_ not in {"AUX", "VERB"}:
            continue
        if any(c.dep_ == "neg" for c in verb.children) or not stance_of(verb).stated:
            continue
        subject = next((c for c in verb.children if c.dep_ == "nsubj"), None)
        attribute = next((c for c in verb.children if c.dep_ == "attr"), None)
        if subject is None or attribute is None:
            continue
        if subject.lower_ == "name" and is_name(attribute):
            # "My dog's name is Rex".
            whose = context.owner(subject)
            if whose is not None and whose.owner is not None and whose.noun in v.RELATIONS:
                label = whose.name.removeprefix(f"{possessive(whose.owner)} ")
                named = Ref(title(attribute.text), "name", whose.noun, whose.sex)
                context.note(Relation(whose.owner, label, named, (*subject.subtree, verb, *attribute.subtree)))
        for noun, name in ((subject, attribute), (attribute, subject)):
            kind = singular(noun)
            owner = context.owner(noun) if kind in v.RELATIONS else None
            if owner is None or not (is_name(name) or name.lower_ in {"he", "she", "they"}):
                continue
            for ref in context.pronoun("all") if name.lower_ == "they" else context.meant(name):
                if ref.named and ref.kind == "name":
                    tokens = (*(t for t in subject.subtree), verb, *(t for t in attribute.subtree))
                    context.note(Relation(owner, kind, ref, tokens))


def apposed(context: Context, entry: Any) -> Iterator[Aside]:
    """What an apposition says: "Dr Haas, the dentist at Saint Ives", "my home town, Porto"."""
    for token in entry.doc:
        if token.dep_ != "appos":
            continue
        head = token.head
        if is_name(head) and token.pos_ == "NOUN" and token.i > head.i and any(c.dep_ == "det" for c in token.children):
            told, full = (
                context.render(inside(token), None, article=False),
                context.render(inside(token), None, article=True),
            )
            ref = context.phrase(head)
            if told and full and ref is not None and ref.kind == "name" and token.lower_ not in v.VAGUE:
                text = f"{ref.name} is {full}."
                yield Aside(ref, "be", told, text, (*inside(head), *inside(token)), 0.8)
        elif is_name(token) and head.pos_ == "NOUN" and singular(head) not in v.RELATIONS:
            ref, name = context.phrase(head), context.render(inside(token), None, article=False)
            if ref is not None and ref.owner is not None and ref.kind == "thing" and name:
                yield Aside(
                    ref,
                    "be",
                    name,
                    f"{wording.opening(ref)} is {name}.",
                    (*inside(head), *inside(token)),
                    0.8,
                )


def elliptic(clause: Clause, last: Frame) -> bool:
    """Whether a clause leaves out the last predicate: "but my aunt is", "her brother doesn't"."""
    head = clause.head
    if clause.subject is None or head.pos_ not in {"AUX", "VERB"} or head.lemma_ not in {"be", "do"}:
        return False
    if any(c.dep_ in {"attr", "acomp", "prep", "dobj", "ccomp", "xcomp", "advcl"} for c in head.children):
        return False
    if any(
        c.dep_ == "advmod" and c.lower_ not in {"too", "also", "either", "not", "never", "still"} for c in head.children
    ):
        return False
    return bool((head.lemma_ == "be") == (last.predicate.split(" ")[0] == "be"))


def notice(context: Context, doc: Any, timed: Collection[int]) -> None:
    """Remember what a piece named, for the pronouns of the next one."""
    things: list[Ref] = []
    for token in doc:
        if token.i in timed or token.dep_ not in {
            "dobj",
            "pobj",
            "nsubj",
            "nsubjpass",
            "attr",
            "conj",
            "ROOT",
            "appos",
            "oprd",
        }:
            continue
        if token.pos_ not in {"NOUN", "PROPN"}:
            continue
        for member in members(token)[:1]:
            ref = context.phrase(member)
            if ref is None:
                continue
            if ref.kind == "thing" or (
                ref.kind == "name" and any(c.lower_ in {"the", "a", "an", "my"} for c in member.children)
            ):
                things.append(ref)
            elif ref.kind != "speaker":
                context.mention(ref)
    if things:
        context.things = things if len({thing.name for thing in things}) == 1 else []
