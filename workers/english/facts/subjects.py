"""Reference resolution: which person or thing a noun phrase or pronoun of one turn denotes, as a `Ref` (`refs`).

    speaker Ana: "My aunt Vera moved to Porto. She teaches."
    "My aunt Vera"  ->  Ref("Vera", "name", noun "aunt", sex "f"), and Relation(Ana, "aunt", Vera)
    "She"           ->  the same Ref: the only antecedent that agrees in number and gender

A `Context` is the discourse model of one turn while it is read piece by piece. Its rules:

- first person is the speaker, or whoever is quoted; a phrase with an owner becomes its full name ("Ana's sister");
- a possessive with a name ("my aunt Vera", "a friend of mine, Jo") is a `Relation`, which makes a statement of its own;
- "he" and "she" denote the subject of the last clause where it agrees, unless somebody else who agrees was named since;
  else the only one named so far who agrees; "it" the last thing named;
- where two could be meant, nobody is: the result is empty and the statement is not made.

Tokens are spaCy's, typed `Any` because spaCy loads on first use.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from workers.english.facts import vocabulary as v
from workers.english.facts.phrases import (
    CALENDAR,
    POSSESSIVES,
    bare_list,
    before,
    has,
    inside,
    is_name,
    members,
    name_tokens,
    possessing,
    possessor,
    relation_label,
    relation_parts,
    singular,
)
from workers.english.facts.refs import Ref, Relation, fits, nameless, possessive, sex_of, title, words_of

FIRST = frozenset({"i", "me", "we", "us", "myself", "ourselves", "mine", "ours"})
_SEVERAL = frozenset({"we", "us", "ourselves"})
_THIRD = {"he": "he", "him": "he", "she": "she", "her": "she", "they": "they", "them": "they", "it": "it"}
_QUANTIFIERS = frozenset({"both", "all", "either", "neither", "each"})
_ARTICLES = frozenset({"no", "a", "an", "the", "this", "that", "these", "those"})
_OPENERS = v.FILLERS | {"i", "ok", "god", "lord", "jesus", "christ", "yes", "no"}


@dataclass(slots=True)
class Context:
    """What a turn has named so far: the candidates for its pronouns, most recent last."""

    speaker: Ref | None
    known: Any = frozenset()
    first: Ref | None = None  # who "I" is now: the speaker, or who is quoted
    reported: Ref | None = None  # who says the clause being read
    last_subjects: list[Ref] = field(default_factory=list)
    persons: list[Ref] = field(default_factory=list)
    things: list[Ref] = field(default_factory=list)
    relations: list[Relation] = field(default_factory=list)
    named_as: dict[str, Ref] = field(default_factory=dict)
    own: bool = True  # somebody's talk, no document
    alias: dict[str, Ref] = field(default_factory=dict)  # "Ana's flatmate" whose name was told
    piece: int = 0  # the number of the piece being read
    seen: dict[str, int] = field(default_factory=dict)  # the last piece that named each
    someone: bool = False  # "he" or "she" stands somewhere in the turn

    def meant(self, token: Any) -> list[Ref]:
        """Everybody a noun phrase names, members of a list one by one; empty when one of them is not known."""
        found: list[Ref] = []
        for head in members(token):
            refs = self._one(head)
            if not refs:
                return []
            found.extend(refs)
        return found

    def _one(self, head: Any) -> list[Ref]:
        word = head.lower_
        if word in FIRST:
            return [self.first] if self.first else []
        if word in _THIRD and head.pos_ == "PRON":
            return self.pronoun(_THIRD[word])
        if head.pos_ == "PRON" or word in {"you", "one"}:
            return []
        several = self.related(head, self.owner(head))
        if several:
            return several
        ref = self.phrase(head)
        return [ref] if ref else []

    def phrase(self, head: Any) -> Ref | None:
        """What a noun phrase with a noun or a name as its head means. Notes the relation it may make."""
        owner = self.owner(head)
        related = self.related(head, owner)
        if related:
            return related[0]
        if owner is None and possessor(head) is not None:
            return None
        noun = singular(head)
        if is_name(head):
            return self._named(head, owner)
        if owner is not None:
            return self._owned(head, owner, noun)
        if head.lower_ in v.ADDRESSED and self.first and not has(head, "det"):
            return self._owned(head, self.first, noun)
        if head.pos_ not in {"NOUN", "PROPN"} and not (head.pos_ == "ADJ" and has(head, "det")):
            return None
        return self._plain(head, noun)

    def _named(self, head: Any, owner: Ref | None) -> Ref | None:
        if head.lower_ in CALENDAR | _OPENERS:
            return None
        tokens = name_tokens(head)
        ref = Ref(title(words_of(tokens)), "name", plural=head.tag_ == "NNPS")
        ref = self.named_as.get(ref.name.lower(), ref)
        return (
            ref if owner is None or tokens[0].pos_ == "PROPN" else replace(ref, name=f"{possessive(owner)} {ref.name}")
        )

    def _owned(self, head: Any, owner: Ref, noun: str) -> Ref:
        own = [t for t in inside(head) if not possessing(t, head) and t.lower_ not in _QUANTIFIERS]
        rest = self.render(own, None, article=False) or head.text
        kind = "person" if noun in v.PERSONS | v.ROLES else "animal" if noun in v.PETS else "thing"
        plural = head.tag_ in {"NNS", "NNPS"} or noun in {"family"}
        rest = rest[:1].lower() + rest[1:] if rest.split()[0].lower() in v.RELATIONS | v.ADDRESSED else rest
        return Ref(f"{possessive(owner)} {rest}", kind, noun, sex_of(noun), plural, owner)

    def _plain(self, head: Any, noun: str) -> Ref | None:
        for clause in (child for child in head.children if child.dep_ == "relcl"):
            # "the boat I own" is Ana's boat.
            subject = next((child for child in clause.children if child.dep_ == "nsubj"), None)
            if subject is not None and subject.lower_ in FIRST and self.first and noun not in v.PERSONS:
                return self._owned(head, self.first, noun)
        of = next(
            (child for child in head.children if child.dep_ == "prep" and child.lower_ in {"of", "on", "in"}), None
        )
        inner = next((child for child in of.children if child.dep_ == "pobj"), None) if of is not None else None
        if of is not None and inner is not None and possessor(inner) is not None and inner.pos_ == "NOUN":
            whole = self.phrase(inner)
            if whole is None:
                return None
            own = [t for t in inside(head) if t.i < of.i]
            return Ref(f"{whole.name} {self.render(own, None, article=False)}", "thing", noun, owner=whole.owner)
        text = self.render(inside(head), None, article=False)
        if not text:
            return None
        determined = any(
            child.dep_ == "det" and child.lower_ in {"the", "this", "that", "these", "those"} for child in head.children
        )
        kind = "person" if noun in v.PERSONS | v.ROLES else "animal" if noun in v.PETS else "thing"
        return Ref(text, kind, noun, sex_of(noun), head.tag_ in {"NNS", "NNPS"}, definite=determined)

    def owner(self, head: Any) -> Ref | None:
        """Who "my", "her" or "Ana's" before a noun, or "of mine" after it, means."""
        whose = possessor(head)
        if whose is None and head.dep_ == "conj" and head.tag_ in {"NN", "NNS"} and bare_list(head):
            # "My parents and brother": the first member's "my" holds for all.
            whose = possessor(head.head)
        if whose is None:
            return None
        word = whose.lower_
        if word in {"mine", "ours"}:
            return self.first
        if word in POSSESSIVES:
            pronoun = POSSESSIVES[word]
            if pronoun in {"I", "we"}:
                return self.first
            found = self.pronoun(pronoun)
            return found[0] if len(found) == 1 else None
        if whose.pos_ == "PRON":
            return None
        found = self.meant(whose)
        return found[0] if len(found) == 1 else None

    def related(self, head: Any, owner: Ref | None) -> list[Ref]:
        """Those whom "my aunt Vera" or "a friend of mine, Jo" means, noting the relation; none for other phrases."""
        noun, names, used = relation_parts(head)
        if noun is None or not names:
            return []
        kind = singular(noun)
        if kind not in v.RELATIONS and not any(t.dep_ == "acl" for t in used):
            return []
        if owner is None:
            owner = self.owner(noun)
        refs = []
        for name in names:
            tokens = name_tokens(name, noun if noun.i < name.i else None)
            ref = Ref(title(words_of(tokens)), "name", kind, sex_of(kind))
            refs.append(ref)
            if owner is not None and kind in v.RELATIONS:
                label = relation_label(noun, kind)
                span = (*before(head, noun), noun, *tokens, *used)
                self.note(Relation(owner, label, ref, span))
            self.named_as[ref.name.lower()] = ref
            self.mention(ref)
        return refs

    def tells_kin(self, subject: Ref, head: Any) -> bool:
        """Whether "X is Y" only tells a relation, which is noted as such: "my sister is Ana", "Rex is my dog"."""
        if subject.owner is not None and subject.noun in v.RELATIONS:
            return is_name(head)
        return subject.kind == "name" and singular(head) in v.RELATIONS and self.owner(head) is not None

    def named_by(self, head: Any) -> str | None:
        """The name in "my cousin Percy" or "a man called Henk"; None where a phrase holds no such name."""
        noun, names, called = relation_parts(head)
        if noun is None or len(names) != 1:
            return None
        if called:
            return self.render(inside(names[0]), None, article=True)
        return title(words_of(name_tokens(names[0], noun)))

    def note(self, relation: Relation) -> None:
        """Keep a relation once."""
        same = (relation.owner.name, relation.noun, relation.name.name)
        if all((old.owner.name, old.noun, old.name.name) != same for old in self.relations):
            self.relations.append(relation)

    def pronoun(self, pronoun: str) -> list[Ref]:
        """Whom a pronoun of the third person means, by its nominative; empty when that is not safe to say."""
        if pronoun == "it":
            return [replace(thing, definite=True) for thing in self.things[-1:]]
        if pronoun == "they":
            people = [ref for ref in self.last_subjects if ref.kind in {"person", "name", "animal"}]
            if len(people) > 1 and len(people) == len(self.last_subjects):
                return people
            several = [ref for ref in people if ref.plural]
            return several or [ref for ref in self.persons[-1:] if ref.plural]
        if pronoun == "all":
            return [ref for ref in self.persons if ref.kind == "name"]
        if self.reported is not None and fits(self.reported, pronoun):
            return [self.reported]
        subjects = [ref for ref in self.last_subjects if fits(ref, pronoun)]
        if len(subjects) == 1 and len(self.last_subjects) == 1 and not self._rivals(subjects[0], pronoun):
            return subjects
        fitting = list({ref.name: ref for ref in self.persons if fits(ref, pronoun)}.values())
        return fitting if len(fitting) == 1 else []

    def _rivals(self, subject: Ref, pronoun: str) -> bool:
        """Whether somebody else was named since the last subject, who could be meant as well."""
        since = self.seen.get(subject.name, 0)
        others = (ref for ref in self.persons if ref.name != subject.name and fits(ref, pronoun))
        return any(self.seen.get(ref.name, 0) >= since for ref in others)

    def mention(self, ref: Ref, subject: bool = False) -> None:
        """Remember that somebody or something was named."""
        ref = self.alias.get(ref.name, ref)
        if ref.kind == "thing":
            self.things = [*(old for old in self.things if old.name != ref.name), ref][-4:]
        elif ref.kind != "speaker":
            self.persons = [*(old for old in self.persons if old.name != ref.name), ref][-6:]
        self.seen[ref.name] = self.piece
        if subject:
            self.last_subjects = [ref]

    def render(self, tokens: Iterable[Any], subject: Ref | None, *, article: bool) -> str | None:
        """Words in reading order with pronouns resolved; None when one cannot be.

        What belongs to `subject` loses its "my" (`article` False) or gets "their". Without `article` the leading
        article goes.
        """
        ordered = sorted(set(tokens), key=lambda token: token.i)
        if not article:
            while ordered and (ordered[0].lower_ in _ARTICLES and ordered[0].dep_ == "det"):
                ordered = ordered[1:]
        parts: list[str] = []
        for position, token in enumerate(ordered):
            word = self._word(token, subject, article=article)
            if word is None:
                return None
            glued = token.lower_ in {"'s", ",", "%"} or (
                position and ordered[position - 1].text in {"$", "€", "£", "#"}
            )
            if word:
                parts.append(word if glued or not parts else f" {word}")
        return "".join(parts).strip(" ,-–:") or None

    def _word(self, token: Any, subject: Ref | None, *, article: bool) -> str | None:
        lower = token.lower_
        if lower in POSSESSIVES and token.dep_ == "poss":
            pronoun = POSSESSIVES[lower]
            owners: list[Ref | None] = [self.first] if pronoun in {"I", "we"} else [*self.pronoun(pronoun)]
            if subject is not None and subject.kind != "speaker" and not owners and pronoun not in {"I", "we"}:
                owners = [subject]
            if len(owners) != 1 or owners[0] is None:
                return None
            if subject is not None and owners[0].name == subject.name:
                return "their" if article else ""
            return (
                f"{'the ' if article else ''}{possessive(owners[0])}" if nameless(owners[0]) else possessive(owners[0])
            )
        if lower in {"you", "your", "yours", "yourself", "hers", "theirs", "mine", "ours"}:
            return None
        if token.pos_ == "PRON" and (lower in FIRST or lower in _THIRD):
            refs = self._one(token)
            if len(refs) != 1:
                return None
            if lower in FIRST and token.dep_ == "pobj" and token.head.lower_ in {"in", "into", "inside"}:
                # Nobody lives in a person: "lives in us" is a country without its capitals, or a manner of speaking.
                return None
            if subject is None or not refs[0].name.startswith(subject.name):
                if lower in _SEVERAL and nameless(refs[0]):
                    return None  # "us" is more than the user, and nobody knows who
                return f"the {refs[0].name}" if article and nameless(refs[0]) else refs[0].name
            own = refs[0].name.removeprefix(f"{possessive(subject)} ")
            return "themselves" if own == subject.name else f"their {own}" if article else own
        return str(token.text)
