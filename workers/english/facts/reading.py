"""Reads one turn: its parsed pieces in order, with one `Context` for whom the words mean, into statements."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from schema.kinds import Modality, Polarity
from workers.derive.contract import Statement, Utterance
from workers.english.dates.undated import HOW_OFTEN
from workers.english.facts import asides, moments, wording
from workers.english.facts import vocabulary as v
from workers.english.facts.clauses import Clause, clauses
from workers.english.facts.frames import Frame
from workers.english.facts.moments import Moment
from workers.english.facts.refs import Ref, Relation
from workers.english.facts.screen import Piece
from workers.english.facts.spelling import IDIOMS, Word
from workers.english.facts.subjects import Context
from workers.english.facts.verbs import frames
from workers.english.facts.worth import welcome

SHORT_DOUBT = 7
"""Words of a piece that only says how sure the rest of its sentence is."""
LONGEST_OBJECT = 12
"""Words; a longer object is a parser's mistake or a sentence of its own."""
HEDGED, LEFT_OUT, PRONOUN, CLAIMED, THING, FOREIGN = 0.6, 0.9, 0.9, 0.85, 0.85, 0.8
"""Factors on a frame's sureness: said with doubt; the subject left out; a pronoun resolved; somebody else's claim;
about a thing; in a text that is nobody's talk."""

_REFERRING = frozenset("he she they it him her his their them hers allergic".split())  # noqa: SIM905 - reads as words
_UNSURE = re.compile(
    r"\bnot (?:so |really |quite |too |100% )?(?:sure|certain)\b"
    r"(?!\s+(?:how|if|what|which|whether|why|about|where|when|i|it|this|that)\b)"
    r"|\bnobody['’]?s? (?:is )?(?:quite )?sure\b|\bor so (?:i|we) (?:think|heard|hear|believe)\b"
    rf"|\b(?:afaik|iirc|apparently|supposedly|allegedly)\b|{IDIOMS.pattern}",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Parsed:
    """A piece, its words, its tree."""

    piece: Piece
    words: Sequence[Word]
    doc: Any
    timed: dict[int, Moment] = field(default_factory=dict)
    verbs: set[int] = field(default_factory=set)


class Reader:
    """Reads one utterance."""

    def __init__(self, utterance: Utterance, known: frozenset[str]) -> None:
        self.utterance = utterance
        self.own = utterance.source == "user"
        name = utterance.speaker or "user"
        name = "user" if name.lower() == "user" else name[:1].upper() + name[1:]
        speaker = Ref(name, "speaker") if self.own else None
        self.context = Context(speaker, known, first=speaker, own=self.own)
        self.known = known
        self.last: tuple[Frame, str | None, str | None] | None = None
        self.told: list[Statement] = []
        self.awaited = True  # a pronoun may follow

    def read(self, parsed: Sequence[Parsed]) -> list[Statement]:
        """The statements, in the order of their quotes."""
        unsure = self._unsure(parsed)
        sentence = -1
        self.referring = [any(word.norm.lower() in _REFERRING for word in entry.words) for entry in parsed]
        # "Sunny has a cold. She coughs": an ordinary word that somebody is called.
        self.context.someone = any(word.norm.lower() in {"he", "she"} for entry in parsed for word in entry.words)
        for number, entry in enumerate(parsed):
            self.awaited = any(self.referring[number:])
            if not len(entry.doc):
                continue
            if entry.piece.sentence != sentence:
                # "It" reaches back as far as the sentence does.
                self.context.things, sentence = [], entry.piece.sentence
            self.context.piece = number
            if entry.piece.sayer:
                self.context.first = self.context.speaker
                self._add(entry, asides.relations(self.context, entry.doc, stated=True))
                self._sayer(entry)
                continue
            if not entry.piece.quoted:
                self.context.first = self.context.speaker
            if not entry.piece.relations_only:
                self._piece(entry, unsure[number])
            self._add(entry, asides.relations(self.context, entry.doc, stated=not entry.piece.relations_only))
        unique = {
            (s.subject.lower(), s.predicate, (s.object or "").lower(), s.polarity): s for s in reversed(self.told)
        }
        return sorted(unique.values(), key=lambda s: (s.start, s.stop, s.predicate, s.object or ""))

    def _unsure(self, parsed: Sequence[Parsed]) -> list[bool]:
        """Whether each piece is said with doubt: in it, or in a word or two beside it ("nobody's quite sure")."""
        doubts = [bool(_UNSURE.search(self._text(entry.piece))) for entry in parsed]
        short = {
            e.piece.sentence for e, doubt in zip(parsed, doubts, strict=True) if doubt and len(e.words) <= SHORT_DOUBT
        }
        return [doubt or entry.piece.sentence in short for entry, doubt in zip(parsed, doubts, strict=True)]

    def _text(self, piece: Piece) -> str:
        return self.utterance.text[piece.start : piece.stop]

    def _sayer(self, entry: Parsed) -> None:
        head = next((token for token in entry.doc if token.head == token), entry.doc[0])
        noun = (
            head
            if head.pos_ in {"NOUN", "PROPN", "PRON"}
            else next((t for t in entry.doc if t.pos_ in {"NOUN", "PROPN", "PRON"}), None)
        )
        refs = self.context.meant(noun) if noun is not None else []
        self.context.first = refs[0] if len(refs) == 1 else None
        if refs:
            self.context.mention(refs[0], subject=True)

    def _piece(self, entry: Parsed, unsure: bool) -> None:
        doc, piece, context = entry.doc, entry.piece, self.context
        told = moments.told(self.utterance.text, piece.start, piece.stop, self.utterance.occurred_at)
        timed = moments.timed_tokens(doc, entry.words, told.moments)
        entry.timed.update(timed)
        found = list(clauses(doc))
        # Times that hang on no verb of a clause belong to the only one there is.
        entry.verbs.update(clause.verb.i for clause in found)
        for clause in found:
            if clause.stance.sayer is not None and not self.context.meant(clause.stance.sayer):
                continue
            if unsure:
                clause.stance.hedged = True
            self._clause(entry, clause, timed, told)
        self._add(entry, asides.apposed(context, entry))
        if self.awaited:
            asides.notice(context, doc, timed)

    def _clause(self, entry: Parsed, clause: Clause, timed: dict[int, Moment], told: moments.Told) -> None:
        context = self.context
        claimed = context.meant(clause.stance.sayer) if clause.stance.sayer is not None else []
        first = context.first
        context.reported = claimed[0] if len(claimed) == 1 else None
        subjects = self._subjects(clause)
        if subjects:
            moment, undated = self._moment(entry, clause, timed, told)
            made = list(frames(clause, timed))
            if not made and self.last is not None and asides.elliptic(clause, self.last[0]):
                frame, short, full = self.last
                made = []
                for subject in subjects:
                    self._tell(
                        entry, replace(frame, clause=clause, object=[], tokens=[]), subject, short, full, None, []
                    )
            for frame in made:
                self._complete(frame)
                if all(welcome(frame, subject, moment, context) for subject in subjects):
                    self._state(entry, frame, subjects, moment, undated)
                    self._remember(frame)
            if not any(frame.kind == "called" for frame in made):
                context.last_subjects = subjects
                for subject in subjects:
                    context.mention(subject)
        context.reported, context.first = None, first

    def _remember(self, frame: Frame) -> None:
        """Keep the object as what "it" can mean."""
        if frame.head is None or frame.when or frame.kind == "is":
            return
        thing = self.context.phrase(frame.head)
        if thing is not None and (thing.kind == "thing" or frame.head.text != thing.name):
            self.context.things = [thing]

    def _complete(self, frame: Frame) -> None:
        """Say of the one thing just named what "I'm not allergic" leaves out."""
        if frame.kind != "open":
            return
        doc = frame.clause.head.doc
        before = [t for t in doc[: frame.clause.head.i] if t.dep_ == "dobj" and t.pos_ == "NOUN"]
        things = [ref for ref in map(self.context.phrase, before) if ref is not None] or self.context.things
        if len(things) == 1:
            frame.predicate = f"{frame.predicate} to"
            frame.told = things[0].name

    def _subjects(self, clause: Clause) -> list[Ref]:
        if clause.subject is None:
            return [self.context.first] if self.context.first is not None else []
        return self.context.meant(clause.subject)

    def _moment(
        self, entry: Parsed, clause: Clause, timed: dict[int, Moment], told: moments.Told
    ) -> tuple[Moment | None, list[Any]]:
        """The date of a clause, and the words of it that tell how long or how often."""
        dated: Moment | None = None
        soft: Moment | None = None
        undated: list[Any] = []
        verbs = {clause.verb.i, clause.head.i}
        for moment in dict.fromkeys(timed.values()):
            above = moments.governor(entry.doc, timed, moment)
            # One word ("monthly") stands beside its own verb, whatever else the piece says.
            lone = any(other is moment and entry.doc[i].lower_ in HOW_OFTEN for i, other in timed.items())
            if above is None or (above.i not in verbs and (lone or len(entry.verbs) > 1)):
                continue
            if moment.value is not None:
                dated = dated or told.seen_from(moment, clause.tense)
            else:
                # "This weekend" has no date to keep, but tells what is still to come.
                soft = soft or told.seen_from(moment, clause.tense)
                undated += [entry.doc[i] for i, other in timed.items() if other is moment]
        if dated is not None:
            # What happened on a date did not happen "annually": that is said of something else.
            undated = [token for token in undated if token.lower_ not in HOW_OFTEN]
        return dated or soft, undated

    def _state(
        self, entry: Parsed, frame: Frame, subjects: list[Ref], moment: Moment | None, undated: list[Any]
    ) -> None:
        if frame.object is not None and len(frame.object) > LONGEST_OBJECT:
            return
        if frame.kind == "has" and self._named_members(frame, subjects):
            return
        kept = self._untimed(entry, frame, undated)
        for subject in subjects:
            short = full = frame.told or (self.context.named_by(frame.head) if frame.head is not None else None)
            if frame.object is not None and short is None:
                short = self.context.render(kept, subject, article=False)
                full = self.context.render(kept, subject, article=True)
            if frame.object is not None and not short:
                continue
            if frame.kind == "is" and frame.head is not None and self.context.tells_kin(subject, frame.head):
                continue
            if frame.kind == "is" and subject.noun == "name" and subject.owner is not None and subject.owner.owner:
                continue
            if frame.kind == "called" and self._called(frame, subject, short):
                continue
            if short and short.lower() == subject.name.lower():
                continue
            self._tell(entry, frame, subject, short, full, moment, undated)
            self.last = (frame, short, full)

    def _untimed(self, entry: Parsed, frame: Frame, undated: list[Any]) -> list[Any]:
        """The tokens of the object without those that tell a time, unless the time is what the frame tells."""
        tokens = frame.object or []
        if frame.when:
            return tokens
        gone = {token.i for token in undated} | set(entry.timed)
        gone |= {t.i for t in tokens if t.dep_ == "prep" and all(c.i in gone for c in t.children)}
        kept = [token for token in tokens if token.i not in gone]
        return kept if frame.head is None or frame.head.i not in gone else tokens

    def _named_members(self, frame: Frame, subjects: list[Ref]) -> bool:
        """Whether names are the statement, not the number: "I have two sons, Milo and Arvo"."""
        if frame.clause.polarity is Polarity.NEGATIVE or frame.head is None:
            return False
        found = [self.context.related(frame.head, subject) for subject in subjects if subject.kind != "thing"]
        return any(found)

    def _called(self, frame: Frame, subject: Ref, name: str | None) -> bool:
        """Whether it is a relation: "our vet is called Minke"."""
        if not name:
            return False
        named = Ref(name[:1].upper() + name[1:], "name", subject.noun, subject.sex)
        if subject.kind in {"person", "animal"}:
            self.context.alias[subject.name] = named
        if subject.owner is None or not subject.noun or subject.noun not in v.RELATIONS:
            if subject.kind in {"person", "animal"}:
                self.context.mention(named, subject=True)
            return False
        tokens = (
            [*frame.clause.subject.subtree, frame.clause.verb, *(frame.object or [])]
            if frame.clause.subject is not None
            else [*(frame.object or [])]
        )
        label = subject.name.removeprefix(f"{subject.owner.name}'s ")
        relation = Relation(subject.owner, label, named, tuple(tokens))
        self.context.note(relation)
        self.context.named_as[named.name.lower()] = named
        self.context.mention(named, subject=True)
        return True

    def _tell(
        self,
        entry: Parsed,
        frame: Frame,
        subject: Ref,
        short: str | None,
        full: str | None,
        moment: Moment | None,
        undated: list[Any],
    ) -> None:
        clause = frame.clause
        upcoming = moments.upcoming(moment, self.utterance.occurred_at)
        modality = clause.modality(upcoming)
        if clause.tense == "duty" or (any(h.lower_ in {"can"} for h in clause.helpers) and upcoming):
            modality = Modality.PLANNED
        start, stop = self._span(entry, frame, moment)
        if stop <= start:
            return
        valid_from, valid_to = moments.validity(moment, modality, self.utterance.occurred_at, upcoming=upcoming)
        extra = self.context.render(undated, subject, article=True) if undated else ""
        if undated and undated[0].i == 0 and extra:
            extra = extra[:1].lower() + extra[1:]
        self.told.append(
            Statement(
                text=wording.sentence(subject, frame, full, moment, upcoming, extra or ""),
                subject=subject.name,
                predicate=frame.predicate,
                object=short,
                polarity=clause.polarity,
                modality=modality,
                confidence=round(self._confidence(frame, subject), 3),
                start=start,
                stop=stop,
                event=moment.value if moment is not None else None,
                valid_from=valid_from,
                valid_to=valid_to,
            )
        )

    def _confidence(self, frame: Frame, subject: Ref) -> float:
        clause = frame.clause
        sure = frame.sureness
        sure *= HEDGED if clause.stance.hedged else 1
        sure *= LEFT_OUT if clause.subject is None else 1
        sure *= PRONOUN if clause.subject is not None and clause.subject.lower_ in {"he", "she", "they", "it"} else 1
        sure *= CLAIMED if clause.stance.claimed else 1
        sure *= THING if subject.kind == "thing" else 1
        return sure if self.own else sure * FOREIGN

    def _span(self, entry: Parsed, frame: Frame, moment: Moment | None) -> tuple[int, int]:
        clause = frame.clause
        tokens = [clause.verb, clause.head, *clause.helpers, *(frame.object or []), *frame.tokens]
        if clause.subject is not None:
            tokens += [
                clause.subject,
                *(c for c in clause.subject.children if c.dep_ in {"det", "poss", "compound", "amod"}),
            ]
        words = [entry.words[token.i] for token in tokens]
        start, stop = min(word.start for word in words), max(word.stop for word in words)
        if moment is not None and moment.value and moment.start >= entry.piece.start:
            start, stop = min(start, moment.start), max(stop, moment.stop)
        return start, stop

    def _add(self, entry: Parsed, found: Iterable[asides.Aside]) -> None:
        """Statements that no clause makes: relations and appositions."""
        for aside in found:
            words = [entry.words[token.i] for token in aside.tokens if token.doc is entry.doc]
            if words:
                self.told.append(
                    Statement(
                        text=aside.text,
                        subject=aside.subject.name,
                        predicate=aside.predicate,
                        object=aside.object,
                        polarity=Polarity.POSITIVE,
                        modality=Modality.ASSERTED,
                        confidence=round(aside.sureness * (1 if self.own else FOREIGN), 3),
                        start=min(word.start for word in words),
                        stop=max(word.stop for word in words),
                    )
                )
