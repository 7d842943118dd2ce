"""Who and what a phrase means: the speaker, a name, "Ana's sister", a thing; and pronouns, where that is safe.

A `Scene` is the memory of one turn while it is read. First person is whoever speaks, or whoever is quoted. A possessive
with a name makes a `Relation` ("my daughter Vera": Ana has daughter Vera). "He" and "she" mean the last clause's subject
where it fits in number and sex, else the only one that fits; "it" the last thing named; where two could be meant,
nobody is, and the statement is not made.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from workers.derive.facts import vocabulary as v
from workers.derive.facts.vocabulary import closed

FIRST = frozenset({"i", "me", "we", "us", "myself", "ourselves", "mine", "ours"})
POSSESSIVES = {"my": "I", "our": "we", "his": "he", "her": "she", "hers": "she", "their": "they", "its": "it"}
_THIRD = {"he": "he", "him": "he", "she": "she", "her": "she", "they": "they", "them": "they", "it": "it"}
_NOT_IN_A_NAME = closed("relcl appos acl cc conj punct advcl predet mark preconj parataxis intj")
_NAMED_VERBS = frozenset({"call", "name"})
_ARTICLES = frozenset({"a", "an", "the", "this", "that", "these", "those"})
_WEEKDAYS = frozenset(["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"])
_OPENERS = v.FILLERS | {"i", "ok", "god", "lord", "jesus", "christ", "yes", "no"}


@dataclass(frozen=True, slots=True)
class Ref:
    """Somebody or something. `name` is how labels call it; `noun` the lower-case head of its phrase."""

    name: str
    kind: str  # "speaker", "person", "animal", "thing", "name" (a name of whatever)
    noun: str = ""
    sex: str = ""
    plural: bool = False
    owner: Ref | None = None
    definite: bool = True

    @property
    def named(self) -> bool:
        return self.kind in {"speaker", "name"}


@dataclass(frozen=True, slots=True)
class Relation:
    """`owner` has `noun` called `name`: an own statement. `tokens` are the words it rests on."""

    owner: Ref
    noun: str
    name: Ref
    tokens: tuple[Any, ...]


@dataclass(slots=True)
class Scene:
    """What a turn has named so far."""

    speaker: Ref | None
    known: Any = frozenset()
    first: Ref | None = None  # who "I" is now: the speaker, or who is quoted
    reported: Ref | None = None  # who says the clause being read
    last_subjects: list[Ref] = field(default_factory=list)
    persons: list[Ref] = field(default_factory=list)
    things: list[Ref] = field(default_factory=list)
    relations: list[Relation] = field(default_factory=list)
    named_as: dict[str, Ref] = field(default_factory=dict)

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
        ref = self.phrase(head)
        return [ref] if ref else []

    def phrase(self, head: Any) -> Ref | None:
        """What a noun phrase with a noun or a name as its head means. Notes the relation it may make."""
        owner = self.owner(head)
        relation = self._relation(head, owner)
        if relation is not None:
            return relation
        if owner is None and _possessor(head) is not None:
            return None
        noun = singular(head)
        if is_name(head):
            return self._named(head, owner)
        if owner is not None:
            return self._owned(head, owner, noun)
        if head.lower_ in v.ADDRESSED and self.first and not _has(head, "det"):
            return self._owned(head, self.first, noun)
        if head.pos_ not in {"NOUN", "PROPN"} and not (head.pos_ == "ADJ" and _has(head, "det")):
            return None
        return self._plain(head, noun)

    def _named(self, head: Any, owner: Ref | None) -> Ref | None:
        if head.lower_ in _WEEKDAYS | _OPENERS:
            return None
        tokens = name_tokens(head)
        ref = Ref(title(words_of(tokens)), "name", plural=head.tag_ == "NNPS")
        ref = self.named_as.get(ref.name.lower(), ref)
        return (
            ref if owner is None or tokens[0].pos_ == "PROPN" else replace(ref, name=f"{possessive(owner)} {ref.name}")
        )

    def _owned(self, head: Any, owner: Ref, noun: str) -> Ref:
        rest = self.render([t for t in inside(head) if not _possessing(t, head)], None, article=False) or head.text
        kind = "person" if noun in v.PERSONS | v.ROLES else "animal" if noun in v.PETS else "thing"
        plural = head.tag_ in {"NNS", "NNPS"} or noun in {"family"}
        rest = rest[:1].lower() + rest[1:] if rest.split()[0].lower() in v.RELATIONS | v.ADDRESSED else rest
        return Ref(f"{possessive(owner)} {rest}", kind, noun, sex_of(noun), plural, owner)

    def _plain(self, head: Any, noun: str) -> Ref | None:
        for clause in (child for child in head.children if child.dep_ == "relcl"):
            # "the flat I rent" is Ana's flat.
            subject = next((child for child in clause.children if child.dep_ == "nsubj"), None)
            if subject is not None and subject.lower_ in FIRST and self.first and noun not in v.PERSONS:
                return self._owned(head, self.first, noun)
        of = next(
            (child for child in head.children if child.dep_ == "prep" and child.lower_ in {"of", "on", "in"}), None
        )
        inner = next((child for child in of.children if child.dep_ == "pobj"), None) if of is not None else None
        if inner is not None and _possessor(inner) is not None and inner.pos_ == "NOUN":
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
        possessor = _possessor(head)
        if possessor is None and head.dep_ == "conj" and head.tag_ in {"NN", "NNS"} and _bare_list(head):
            # "My parents and brother": the first member's "my" holds for all.
            possessor = _possessor(head.head)
        if possessor is None:
            return None
        word = possessor.lower_
        if word in {"mine", "ours"}:
            return self.first
        if word in POSSESSIVES:
            pronoun = POSSESSIVES[word]
            if pronoun in {"I", "we"}:
                return self.first
            found = self.pronoun(pronoun)
            return found[0] if len(found) == 1 else None
        if possessor.pos_ == "PRON":
            return None
        found = self.meant(possessor)
        return found[0] if len(found) == 1 else None

    def _relation(self, head: Any, owner: Ref | None) -> Ref | None:
        """The one whom "my daughter Vera" or "a friend of mine, Jo" means, noting the relation; None for others."""
        noun, names, used = _relation_parts(head)
        if noun is None or not names:
            return None
        kind = singular(noun)
        if kind not in v.RELATIONS and not any(t.dep_ == "acl" for t in used):
            return None
        refs = []
        for name in names:
            tokens = name_tokens(name, noun)
            ref = Ref(title(words_of(tokens)), "name", kind, sex_of(kind))
            refs.append(ref)
            if owner is not None and kind in v.RELATIONS:
                label = relation_label(noun, kind)
                start = [
                    t
                    for t in head.subtree
                    if t.i <= min(noun.i, tokens[0].i)
                    and t.dep_ in {"poss", "det", "nummod", "amod", "compound"}
                    and t.i >= noun.i - 4
                ]
                span = (*start, noun, *tokens, *used)
                self.note(Relation(owner, label, ref, span))
            self.named_as[ref.name.lower()] = ref
            self.mention(ref)
        return refs[0] if len(refs) == 1 else replace(refs[0], plural=True)

    def named_by(self, head: Any) -> str | None:
        """The name in "my cousin Percy" or "a woman called Philippa"; None where a phrase holds no such name."""
        noun, names, _ = _relation_parts(head)
        if noun is None or len(names) != 1:
            return None
        return title(words_of(name_tokens(names[0], noun)))

    def note(self, relation: Relation) -> None:
        """Keep a relation once."""
        same = (relation.owner.name, relation.noun, relation.name.name)
        if all((old.owner.name, old.noun, old.name.name) != same for old in self.relations):
            self.relations.append(relation)

    def pronoun(self, pronoun: str) -> list[Ref]:
        """Whom a pronoun of the third person means, by its nominative; empty when that is not safe to say."""
        if pronoun == "it":
            return self.things[-1:]
        if pronoun == "they":
            if len(self.last_subjects) > 1:
                return list(self.last_subjects)
            several = [ref for ref in self.last_subjects if ref.plural]
            return several or [ref for ref in self.persons[-1:] if ref.plural]
        if pronoun == "all":
            return [ref for ref in self.persons if ref.kind == "name"]
        if self.reported is not None and _fits(self.reported, pronoun):
            return [self.reported]
        subjects = [ref for ref in self.last_subjects if _fits(ref, pronoun)]
        if len(subjects) == 1 and len(self.last_subjects) == 1:
            return subjects
        fitting = list({ref.name: ref for ref in self.persons if _fits(ref, pronoun)}.values())
        return fitting if len(fitting) == 1 else []

    def mention(self, ref: Ref, subject: bool = False) -> None:
        """Remember that somebody or something was named."""
        if ref.kind == "thing":
            self.things = [*(old for old in self.things if old.name != ref.name), ref][-4:]
        elif ref.kind != "speaker":
            self.persons = [*(old for old in self.persons if old.name != ref.name), ref][-6:]
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
        return "".join(parts).strip(" ,") or None

    def _word(self, token: Any, subject: Ref | None, *, article: bool) -> str | None:
        lower = token.lower_
        if lower in POSSESSIVES and token.dep_ == "poss":
            pronoun = POSSESSIVES[lower]
            owners: list[Ref | None] = [self.first] if pronoun in {"I", "we"} else [*self.pronoun(pronoun)]
            if subject is not None and not owners and pronoun not in {"I", "we"}:
                owners = [subject]
            if len(owners) != 1 or owners[0] is None:
                return None
            if subject is not None and owners[0].name == subject.name:
                return "their" if article else ""
            return possessive(owners[0])
        if lower in {"you", "your", "yours", "yourself"}:
            return None
        if token.pos_ == "PRON" and (lower in FIRST or lower in _THIRD):
            refs = self._one(token)
            if len(refs) != 1:
                return None
            return refs[0].name if subject is None or refs[0].name != subject.name else "themselves"
        return str(token.text)


def members(token: Any) -> list[Any]:
    """The members of a list of nouns, the first first."""
    found = [_measured(token)]
    for child in token.children:
        if child.dep_ == "conj" and child.pos_ in {"NOUN", "PROPN", "PRON", "NUM", "X"}:
            if child.tag_ == "NN" and _bare(child) and not _bare(token):
                # "We watch movies, hike, and cook": a verb that the tagger took for a noun.
                continue
            found.extend(members(child))
    return found


def _bare(noun: Any) -> bool:
    """Whether a common noun in the singular stands without any word of its own."""
    return noun.tag_ == "NN" and not any(c.dep_ in {"det", "poss", "amod", "compound", "nummod"} for c in noun.children)


def _bare_list(noun: Any) -> bool:
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
        if child.dep_ == "case" or (child.dep_ == "advmod" and child.i < head.i and head.pos_ == "NOUN"):
            continue
        if child.dep_ in _NOT_IN_A_NAME and not (child.dep_ == "punct" and child.text in {"%", "-", "$", "#"}):
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


def _possessor(head: Any) -> Any | None:
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


def _possessing(token: Any, head: Any) -> bool:
    """Whether a token is part of the "my" or "Ana's" of a phrase, or of its "of mine"."""
    node = token
    while node != head:
        if node.dep_ == "poss" and (node.head == head or node.head.head is head):
            return True
        if node.lower_ == "of" and any(c.lower_ in {"mine", "ours"} for c in node.children):
            return True
        node = node.head
    return False


def _relation_parts(head: Any) -> tuple[Any | None, list[Any], list[Any]]:
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
    if is_name(head):
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
    if token.i in token.doc.user_data.get("names", ()):
        return singular(token) not in v.RELATIONS
    if token.pos_ == "PROPN":
        return token.lower_ not in v.FILLERS and not (token.lower_ in v.ADDRESSED or singular(token) in v.KIN)
    if token.i == 0 and token.tag_ == "NN" and token.text.istitle() and not _has(token, "det") and len(token.doc) > 1:
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
            for inner in [*(g for g in child.subtree if g.text[:1].isupper() or g.lower_ == "'s")]
        ),
        head,
    ]


def words_of(tokens: Iterable[Any]) -> str:
    """The words of a name as one string."""
    unique = sorted({token.i: token for token in tokens}.values(), key=lambda token: token.i)
    return " ".join(token.text for token in unique).replace(" 's", "'s")


def title(name: str) -> str:
    """A name with a capital, the rest as it was written."""
    return name[:1].upper() + name[1:]


def possessive(ref: Ref) -> str:
    """The genitive of a name."""
    return f"{ref.name}'" if ref.plural and ref.name.endswith("s") else f"{ref.name}'s"


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
    return v.SHORT_RELATIONS.get(word, word)


def sex_of(noun: str) -> str:
    """The sex a noun of kin tells, or nothing."""
    return "f" if noun in v.FEMALE else "m" if noun in v.MALE else ""


def _fits(ref: Ref, pronoun: str) -> bool:
    if ref.kind in {"thing", "speaker"} or ref.plural:
        return False
    return ref.sex == "" or ref.sex == ("f" if pronoun == "she" else "m")


def _has(token: Any, dep: str) -> bool:
    return any(child.dep_ == dep for child in token.children)
