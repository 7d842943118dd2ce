"""Subjects that open a plain sentence, and a pronoun to stand for each while it is parsed.

The small model reads "She lives in Leeds" without fault and loses itself in "Zofia lives in Leeds": a rare name or a
noun beside a word that can be a noun as well ("lives", "studies", "needs") looks like a heading to it. A name decides
nothing about grammar, so a subject is parsed as "She" or "It" where it is plainly one: it opens the piece and a finite
verb follows. The tree is then given the words that were written; nothing else of the rules knows of it.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass, replace
from typing import Any

from workers.english.dates.words import SEASONS
from workers.english.facts import vocabulary as v
from workers.english.facts.copulas import CONDITIONS
from workers.english.facts.phrases import CALENDAR
from workers.english.facts.spelling import Word, is_known
from workers.english.facts.wording import third
from workers.english.lexicon import closed

LONGEST_NAME = 3
LONGEST_THING = 5
"""Words of a subject, its determiner included."""

_PERSONAL = closed(
    "live work play like love hate own drive study teach speak visit move buy marry report collect run manage coach"
    " paint bake prefer want sell join write wear cook rent grow read ride swim sing knit smoke drink eat volunteer"
    " lead attend commute adopt enjoy dislike dread fear belong lecture retire graduate keep repair fix chair breed"
    " train support build sew design develop organise organize restore hunt raise watch represent edit translate"
    " supervise mentor practise practice carve brew fish ski code babysit"
)
_PAST = closed(
    "lived worked played owned drove studied taught spoke visited moved bought married collected ran managed coached"
    " painted baked wanted sold joined wrote wore cooked rented grew swam sang adopted attended retired graduated"
    " enjoyed loved hated led quit left"
)
PERSONAL_FORMS = frozenset(third(verb, plural=False) for verb in _PERSONAL) | _PAST
"""What persons do: a bare word before one of these is somebody's name, unless the tagger surely takes it for a noun."""
_HELPERS = closed("is was has")
_NEEDS = closed("needs knows uses holds keeps has is was owes")
THING_VERBS = closed("need cost open hold have weigh use belong run contain seat close")
"""Having, needing, costing, opening, being somewhere: what is said of a thing that the speaker has to do with."""
THING_FORMS = frozenset(third(verb, plural=False) for verb in THING_VERBS) | {"is"}
_BETWEEN = v.HEDGE_WORDS | closed("also never now still currently always usually often only")
_DETERMINERS = closed("the my our")
_NO_NAME = (
    v.FILLERS
    | _BETWEEN
    | frozenset(
        {"just", "even", "almost", "most", "many", "few", "several", "such", "another", "other", "more", "else"}
    )
    | (v.VAGUE - closed("hope joy"))
    | v.ADDRESSED
    | CALENDAR
    | frozenset(SEASONS)
    | v.RELATIONS
    | closed(
        "i he she it we you they who what which that this these those there here the a an my our his her their your its"
        " when where why how if as but so or nor not no yes all any some every each both none one everyone nobody"
        " somebody christmas easter do don did does since because although though"
        " after before while once until unless like from with without for about of in on at to by would can could"
        " might must should let never always then now today yesterday tomorrow tonight"
    )
)
_OBLIQUE = closed("me us you it him her them my our your myself")
_INNER = closed("i we you he she they it who which that this of for to in on at with from by and or my our your is has")
"""Words that end a plain noun phrase."""
_STRICT = closed(
    "studies studied married owns owned rents rented collects bakes baked cooks cooked wears wore paints painted"
    " coaches coached manages managed prefers wants likes hates dislikes sold bought is was has"
)
"""Verbs before which even a word that the tagger takes for a common noun is a name: "Grace bakes"."""
_LINKS = closed("in at on of by for with to from as and")
_PLACED = frozenset(
    (verb, link)
    for verbs, links in (("lives lived", "in at with on"), ("works worked", "as at"), ("moved reports belongs", "to"))
    for verb in verbs.split()
    for link in links.split()
)
"""What is said of persons rather than of things that the verb's noun names."""
_HEADINGS = closed("visits moves drives runs drinks rents swims rides smokes hates loves likes needs")
_DONE_TO = closed("born raised assigned moved transferred hired promoted fired elected appointed diagnosed adopted")
_PROPER_NOUN_CLASS = closed("project team group branch desk level grade class platform channel")


@dataclass(frozen=True, slots=True)
class Opener:
    """The first `stop` words are a subject; `stand_in` the pronoun for it.

    `plain`: the words are surely a subject. Else an ordinary tree decides first whether they are a name, and `strong`
    tells that what follows is said of persons only, `strict` that it is so even of a word that seems a common noun.
    """

    stop: int
    stand_in: str
    plain: bool
    strong: bool = True
    strict: bool = True


def titled(words: list[Word], known: Container[str]) -> list[Word]:
    """The words with the capital that a name at their head has lost: "kofi lives in tema"."""
    if len(words) < 2 or not words[0].norm.islower() or not words[0].norm.isalpha() or len(words[0].norm) < 3:
        return words
    first = words[0].norm
    if first in _NO_NAME or (first.endswith(("s", "ing")) and is_known(first, known)):
        return words
    follows = words[1].norm.lower()
    new = not is_known(first, known)
    wants = new and follows == "needs" and words[2:3] and words[2].norm in {"a", "an"}
    if _strong(words, 1) or wants:
        return [replace(words[0], norm=first[:1].upper() + first[1:], name=new, raised=not new), *words[1:]]
    return words


def opener(words: Sequence[Word], known: Container[str]) -> Opener | None:
    """The subject that opens a piece, where a finite verb follows it."""
    if len(words) < 3 or words[-1].norm == "?":
        return None
    first = words[0].norm
    if first.lower() in _DETERMINERS:
        return _determined(words)
    stop = 0
    while stop < min(LONGEST_NAME, len(words) - 1) and words[stop].norm[:1].isupper() and words[stop].norm.isalpha():
        if words[stop].norm.lower() in _NO_NAME and (stop == 0 or words[stop].norm.lower() in _HELPERS):
            break
        stop += 1
    if not stop or (first.endswith("ing") and is_known(first.lower(), known)):
        return None
    if words[stop].norm.isdigit() and stop == 1 and len(words) > stop + 2:
        # "Locker 12 opens with a key".
        return Opener(stop + 1, "It", plain=True) if words[stop + 1].norm.lower() in THING_FORMS else None
    position = stop + (words[stop].norm.lower() in _BETWEEN)
    if position >= len(words) - 1:
        return None
    verb = words[position].norm.lower()
    if verb in {"does", "did"} and words[position + 1].norm == "not":
        denied = words[min(position + 2, len(words) - 1)].norm.lower() in _PERSONAL
        return Opener(stop, "She", plain=False, strong=False) if denied else None
    acts = verb.endswith("s") and len(verb) > 3 and words[position + 1].norm in {"a", "an", "the"}
    if not acts and verb not in PERSONAL_FORMS | _HELPERS | _NEEDS:
        return None
    strong, named = _strong(words, position), words[0].name
    if not (strong or named or _lasting(words, position)):
        return None
    strict = strong and (verb in _STRICT or _about_somebody(words, position))
    plain = named and (strong or verb in _HELPERS or (verb in PERSONAL_FORMS and not _nounish(words, position)))
    return Opener(stop, "She", plain, strong, strict)


def _determined(words: Sequence[Word]) -> Opener | None:
    """A subject with its determiner: "the garage door needs", "my brother studies"."""
    for stop in range(2, min(LONGEST_THING, len(words) - 2) + 1):
        head, verb = words[stop - 1].norm.lower(), words[stop].norm.lower()
        if not words[stop - 1].norm.replace("-", "").isalnum() or head in v.VAGUE | _INNER or head.endswith("ly"):
            return None
        if head in v.RELATIONS and verb in PERSONAL_FORMS and words[0].norm.lower() != "the":
            return Opener(stop, "She", plain=True) if stop == 2 else None
        if verb in THING_FORMS - {"is", "has"} and not head.endswith("s") and head not in v.RELATIONS:
            return Opener(stop, "It", plain=True) if _complement(words, stop) else None
    return None


def _complement(words: Sequence[Word], verb: int) -> bool:
    """Whether what follows can only follow a verb: "the bus stops in York" may be a noun phrase."""
    following = words[verb + 1].norm.lower()
    if words[verb].norm.lower() in {"needs", "costs", "holds", "weighs", "belongs", "contains", "seats"}:
        return True
    return following in {"a", "an", "the", "with", "on", "at", "two", "three"} or following[:1].isdigit()


def _lasting(words: Sequence[Word], verb: int) -> bool:
    """Whether "is" or "was" tells what or where somebody is: proverbs ("Rome wasn't built in a day") do not."""
    following = words[verb + 1].norm.lower()
    return words[verb].norm.lower() not in {"is", "was"} or following in {"a", "an", "from", "in", "at", "on"}


def _about_somebody(words: Sequence[Word], verb: int) -> bool:
    """Whether a name, somebody of a kind, or something counted stands soon after the verb."""
    if (
        words[verb + 1].norm.lower() in _LINKS
        and (words[verb].norm.lower(), words[verb + 1].norm.lower()) not in _PLACED
    ):
        # "House moves in Tema", "art works by Austen".
        return False
    following = words[verb + 1 : verb + 4]
    return any(w.norm[:1].isupper() or w.norm.lower() in v.PERSONS | v.ROLES | {"a", "an"} for w in following)


def _nounish(words: Sequence[Word], verb: int) -> bool:
    """Whether a name and the word after it may be a heading all the same: "Barcelona visits in June"."""
    return words[verb].norm.lower() in _HEADINGS and words[verb + 1].norm.lower() in _LINKS - {"to"}


def _strong(words: Sequence[Word], verb: int) -> bool:
    """Whether what is said from `verb` on is said of persons only."""
    form, rest = words[verb].norm.lower(), [word.norm.lower() for word in words[verb + 1 : verb + 5]]
    if not rest or rest[0] in _OBLIQUE or (len(rest) > 1 and rest[0] == "for" and rest[1] in _OBLIQUE):
        return False
    if form in {"is", "was"}:
        first = rest[0] if rest[0] not in v.FILLERS | _BETWEEN else rest[1] if len(rest) > 1 else ""
        if first in {"a", "an"}:
            return any(word in v.PERSONS | v.ROLES for word in rest[1:])
        return first in CONDITIONS | _DONE_TO
    if form == "has":
        return any(word in v.RELATIONS or word.removesuffix("s") in v.RELATIONS for word in rest)
    return form in PERSONAL_FORMS and not _nounish(words, verb)


def substituted(words: Sequence[Word], found: Opener | None) -> list[Word]:
    """The words as the parser shall read them."""
    rest = list(words)
    for position in range(1, len(rest) - 1):
        if (
            rest[position].norm in _PROPER_NOUN_CLASS
            and rest[position - 1].norm.lower() in {"to", "from"}
            and rest[position + 1].norm[:1].isupper()
        ):
            # After "to" the tagger takes "project Heron" for a verb with its object.
            rest[position] = replace(rest[position], norm="Lake")
    if found is None:
        return rest
    return [Word(found.stand_in, words[0].start, words[found.stop - 1].stop), *rest[found.stop :]]


def subject_read(tree: Any) -> bool:
    """Whether the stand-in was read as the subject of a finite verb."""
    head = tree[0].head
    return tree[0].dep_ in {"nsubj", "nsubjpass"} and head.pos_ in {"VERB", "AUX"} and head.i > 0


def name_read(tree: Any, found: Opener) -> bool:
    """Whether an ordinary tree has the opener as a name that is the subject of the verb beside it."""
    token = tree[found.stop - 1]
    between = tree[found.stop : token.head.i]
    return (
        token.tag_ in {"NNP", "NNPS"}
        and token.dep_ in {"nsubj", "nsubjpass"}
        and token.head.pos_ in {"VERB", "AUX"}
        and all(other.pos_ in {"AUX", "ADV", "PART"} for other in between)
    )


def may_be_name(tree: Any, found: Opener, first: Word) -> bool:
    """Whether to read the opener as a name though its ordinary tree does not have it for a subject. A word that was
    written without a capital is one by the tagger's word only: "coffee lives in Leeds".
    """
    tag = tree[0].tag_
    return found.strong and (tag == "NNP" if first.raised else found.strict or tag != "NN")


def rebuilt(tree: Any, words: Sequence[Word], spaces: Sequence[bool], found: Opener | None) -> Any:
    """`tree` with the words that were written."""
    from spacy.tokens import Doc

    if found is None:
        tags, deps, lemmas, pos = ([getattr(t, name) for t in tree] for name in ("tag_", "dep_", "lemma_", "pos_"))
        heads = [token.head.i for token in tree]
    else:
        more = found.stop - 1
        inner = _phrase(words[: found.stop])
        top = next(position for position, (_, _, dep, _) in enumerate(inner) if dep == "")
        rest = list(tree)[1:]
        tags = [*(entry[0] for entry in inner), *(token.tag_ for token in rest)]
        pos = [*(entry[1] for entry in inner), *(token.pos_ for token in rest)]
        deps = [*(entry[2] or tree[0].dep_ for entry in inner), *(token.dep_ for token in rest)]
        lemmas = [*(word.norm.lower() for word in words[: found.stop]), *(token.lemma_ for token in rest)]

        def placed(token: Any) -> int:
            return token.i + more if token.i else top

        heads = [placed(tree[0].head) if position == top else entry[3] for position, entry in enumerate(inner)]
        heads += [placed(token.head) for token in rest]
    shift = found.stop - 1 if found is not None else 0
    for position, token in enumerate(tree):
        if token.text == "Lake" and words[position + shift].norm in _PROPER_NOUN_CLASS:
            lemmas[position + shift] = words[position + shift].norm
            tags[position + shift], pos[position + shift] = "NN", "NOUN"
    return Doc(
        tree.vocab,
        words=[word.norm for word in words],
        spaces=list(spaces),
        tags=tags,
        pos=pos,
        deps=deps,
        lemmas=lemmas,
        heads=heads,
    )


def _phrase(words: Sequence[Word]) -> list[tuple[str, str, str, int]]:
    """(tag, pos, dep, head) of the words of a subject; its own head has no dep yet."""
    top = len(words) - 1
    if top and words[top].norm.isdigit():
        top -= 1
    named = words[0].norm.lower() not in _DETERMINERS
    inner: list[tuple[str, str, str, int]] = []
    for position, word in enumerate(words):
        if position == 0 and not named:
            article = word.norm.lower() == "the"
            inner.append(("DT", "DET", "det", top) if article else ("PRP$", "PRON", "poss", top))
        elif word.norm.isdigit():
            inner.append(("CD", "NUM", "nummod", top))
        elif position == top:
            inner.append(("NNP", "PROPN", "", top) if named else ("NN", "NOUN", "", top))
        else:
            inner.append(("NNP", "PROPN", "compound", top) if named else ("NN", "NOUN", "compound", top))
    return inner
