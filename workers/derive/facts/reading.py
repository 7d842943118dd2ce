"""Reads one turn: its parsed pieces in order, with one `Scene` for whom the words mean, into statements."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from schema.kinds import Modality, Polarity
from workers.derive.contract import Statement, Utterance
from workers.derive.facts import asides, dates, wording
from workers.derive.facts import vocabulary as v
from workers.derive.facts.clauses import Clause, clauses
from workers.derive.facts.dates import Moment
from workers.derive.facts.frames import Frame
from workers.derive.facts.screen import Piece
from workers.derive.facts.spelling import Word
from workers.derive.facts.subjects import Ref, Relation, Scene, is_name
from workers.derive.facts.verbs import frames

LONGEST_OBJECT = 12
"""Words; a longer object is a parser's mistake or a sentence of its own."""
HEDGED, LEFT_OUT, PRONOUN, CLAIMED, THING, FOREIGN = 0.6, 0.9, 0.9, 0.85, 0.85, 0.8
"""Factors on a frame's sureness: said with doubt; the subject left out; a pronoun resolved; somebody else's claim; about
a thing; in a text that is nobody's talk."""

_UNSURE = re.compile(
    r"\bnot (?:so |really |quite |too |100% )?(?:sure|certain)\b|\bnobody['’]?s? (?:is )?(?:quite )?sure\b|\b(?:as|so) far as (?:i|we) (?:know|remember|can tell)\b"
    r"|\bif (?:i|we) (?:remember|recall)\b|\bor so (?:i|we) (?:think|heard|hear|believe)\b|\b(?:afaik|iirc|apparently|supposedly|allegedly)\b|\bdon['’]?t quote me\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Parsed:
    """A piece, its words, its tree."""

    piece: Piece
    words: Sequence[Word]
    doc: Any


class Reader:
    """Reads one utterance."""

    def __init__(self, utterance: Utterance, known: frozenset[str]) -> None:
        self.utterance = utterance
        self.own = utterance.source == "user"
        name = utterance.speaker or ("user" if self.own else None)
        speaker = (
            Ref(name[:1].upper() + name[1:] if utterance.speaker else name, "speaker") if name and self.own else None
        )
        self.scene = Scene(speaker, known, first=speaker)
        self.known = known
        self.last: tuple[Frame, str | None, str | None] | None = None
        self.told: list[Statement] = []

    def read(self, parsed: Sequence[Parsed]) -> list[Statement]:
        """The statements, in the order of their quotes."""
        unsure = {entry.piece.sentence for entry in parsed if _UNSURE.search(self._text(entry.piece))}
        for entry in parsed:
            if not len(entry.doc):
                continue
            if entry.piece.sayer:
                self._sayer(entry)
                continue
            if not entry.piece.quoted:
                self.scene.first = self.scene.speaker
            if not entry.piece.relations_only:
                self._piece(entry, entry.piece.sentence in unsure)
            self._add(entry, asides.relations(self.scene, entry.doc, stated=not entry.piece.relations_only))
        unique = {
            (s.subject.lower(), s.predicate, (s.object or "").lower(), s.polarity): s for s in reversed(self.told)
        }
        return sorted(unique.values(), key=lambda s: (s.start, s.stop, s.predicate, s.object or ""))

    def _text(self, piece: Piece) -> str:
        return self.utterance.text[piece.start : piece.stop]

    def _sayer(self, entry: Parsed) -> None:
        head = next((token for token in entry.doc if token.head == token), entry.doc[0])
        noun = (
            head
            if head.pos_ in {"NOUN", "PROPN", "PRON"}
            else next((t for t in entry.doc if t.pos_ in {"NOUN", "PROPN", "PRON"}), None)
        )
        refs = self.scene.meant(noun) if noun is not None else []
        self.scene.first = refs[0] if len(refs) == 1 else None
        if refs:
            self.scene.mention(refs[0], subject=True)

    def _piece(self, entry: Parsed, unsure: bool) -> None:
        doc, piece, scene = entry.doc, entry.piece, self.scene
        past = dates.moments(self.utterance.text, piece.start, piece.stop, self.utterance.occurred_at, "past")
        timed = dates.timed_tokens(doc, entry.words, past)
        later: list[Moment] | None = None
        spent: set[int] = set()
        for clause in clauses(doc):
            if clause.stance.sayer is not None and not self.scene.meant(clause.stance.sayer):
                continue
            if unsure:
                clause.stance.hedged = True
            told = past
            if past and clause.tense != "past":
                if later is None:
                    later = dates.moments(
                        self.utterance.text, piece.start, piece.stop, self.utterance.occurred_at, "future"
                    )
                told = later
            self._clause(entry, clause, timed, told, spent)
        self._add(entry, asides.apposed(scene, entry))
        asides.notice(scene, doc, timed)

    def _clause(
        self, entry: Parsed, clause: Clause, timed: dict[int, Moment], told: list[Moment], spent: set[int]
    ) -> None:
        scene = self.scene
        claimed = scene.meant(clause.stance.sayer) if clause.stance.sayer is not None else []
        first = scene.first
        scene.reported = claimed[0] if len(claimed) == 1 else None
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
                if self._welcome(frame, subjects, moment):
                    self._state(entry, frame, subjects, moment, undated)
            if not any(frame.kind == "called" for frame in made):
                scene.last_subjects = subjects
            for subject in subjects:
                scene.mention(subject)
        scene.reported, scene.first = None, first

    def _complete(self, frame: Frame) -> None:
        """ "I'm not allergic" is said of the one thing just named."""
        if frame.kind == "open" and len(self.scene.things) == 1:
            frame.predicate = f"{frame.predicate} to"
            frame.told = self.scene.things[0].name

    def _subjects(self, clause: Clause) -> list[Ref]:
        if clause.subject is None:
            return [self.scene.first] if self.scene.first is not None else []
        return self.scene.meant(clause.subject)

    def _welcome(self, frame: Frame, subjects: list[Ref], moment: Moment | None) -> bool:
        """Whether a frame is worth keeping for these subjects."""
        if frame.dated_only and (moment is None or moment.value is None):
            return False
        if frame.clause.tense == "duty" and (moment is None or moment.value is None):
            return False
        subject = subjects[0]
        token = frame.clause.subject
        if token is not None and token.lower_ == "it" and frame.kind not in {"dated", "called", "place", "prep"}:
            return False
        if subject.kind == "name" and token is not None and not self._trusted_name(token, frame):
            return False
        if subject.owner is None and subject.kind == "person":
            return subject.definite and frame.kind == "called"
        if subject.owner is None and subject.kind in {"thing", "animal"}:
            return (
                subject.definite
                and not subject.plural
                and frame.kind in {"called", "dated", "prep"}
                and frame.clause.head.lemma_ != "go"
            )
        if subject.kind == "thing" and subject.owner is not None:
            return frame.kind not in {"quality", "trait"} or frame.clause.head.lemma_ == "be"
        return True

    def _trusted_name(self, token: Any, frame: Frame) -> bool:
        """A capitalised word that is a name: not an ordinary word that begins the piece, nor a common noun."""
        if token.pos_ == "PRON" or token.text.lower() in self.scene.named_as or not is_name(token):
            return True
        if not self.own and frame.kind in {"is", "quality", "place", "trait"}:
            return False
        ordinary = token.lower_ in self.known and token.tag_ not in {"NNP"}
        return not ordinary and not (
            token.i == 0 and token.lower_ in self.known and token.nbor().pos_ not in {"VERB", "AUX"}
            if token.i + 1 < len(token.doc)
            else ordinary
        )

    def _moment(
        self, entry: Parsed, clause: Clause, timed: dict[int, Moment], told: list[Moment]
    ) -> tuple[Moment | None, list[Any]]:
        """The date of a clause, and the words of it that tell how long or how often."""
        dated: Moment | None = None
        undated: list[Any] = []
        by_place = {(moment.start, moment.stop): moment for moment in told}
        verbs = {clause.verb.i, clause.head.i}
        for moment in dict.fromkeys(timed.values()):
            above = dates.governor(entry.doc, timed, moment)
            if above is None or above.i not in verbs:
                continue
            if moment.value is not None:
                better = by_place.get((moment.start, moment.stop), moment)
                dated = dated or better
            else:
                undated += [entry.doc[i] for i, other in timed.items() if other is moment]
        return dated, undated

    def _state(
        self, entry: Parsed, frame: Frame, subjects: list[Ref], moment: Moment | None, undated: list[Any]
    ) -> None:
        if frame.object is not None and len(frame.object) > LONGEST_OBJECT:
            return
        timed_words = set(undated)
        for subject in subjects:
            short = full = frame.told or (self.scene.named_by(frame.head) if frame.head is not None else None)
            if frame.object is not None and short is None:
                kept = [t for t in frame.object if t not in timed_words]
                short = self.scene.render(kept, subject, article=False)
                full = self.scene.render(kept, subject, article=True)
            if frame.object is not None and not short:
                continue
            if frame.kind == "called" and self._called(entry, frame, subject, short):
                continue
            if short and short.lower() == subject.name.lower():
                continue
            self._tell(entry, frame, subject, short, full, moment, undated)
            self.last = (frame, short, full)

    def _called(self, entry: Parsed, frame: Frame, subject: Ref, name: str | None) -> bool:
        """ "My flatmate is called Joaquin" is a relation."""
        if subject.owner is None or not subject.noun or subject.noun not in v.RELATIONS or not name:
            return False
        named = Ref(name[:1].upper() + name[1:], "name", subject.noun, subject.sex)
        tokens = (
            [*frame.clause.subject.subtree, frame.clause.verb, *(frame.object or [])]
            if frame.clause.subject is not None
            else [*(frame.object or [])]
        )
        label = subject.name.removeprefix(f"{subject.owner.name}'s ")
        relation = Relation(subject.owner, label, named, tuple(tokens))
        self.scene.note(relation)
        self.scene.named_as[named.name.lower()] = named
        self.scene.mention(named, subject=True)
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
        upcoming = self._upcoming(moment)
        modality = clause.modality(upcoming)
        if clause.tense == "duty" or (any(h.lower_ in {"can"} for h in clause.helpers) and upcoming):
            modality = Modality.PLANNED
        start, stop = self._span(entry, frame, moment)
        if stop <= start:
            return
        valid_from, valid_to = self._validity(moment, modality)
        extra = self.scene.render(undated, subject, article=True) if undated else ""
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

    def _upcoming(self, moment: Moment | None) -> bool:
        if moment is None or moment.first is None or (moment.since and moment.first <= self.utterance.occurred_at):
            return False
        day = self.utterance.occurred_at.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
        return moment.first >= day or (
            moment.last is not None and moment.last > day and moment.first > self.utterance.occurred_at
        )

    def _validity(self, moment: Moment | None, modality: Modality) -> tuple[datetime | None, datetime | None]:
        if moment is None or moment.value is None:
            return None, None
        begin = moment.first if moment.since else None
        end = moment.last if moment.until and modality in {Modality.ASSERTED, Modality.PLANNED} else None
        return begin, end

    def _span(self, entry: Parsed, frame: Frame, moment: Moment | None) -> tuple[int, int]:
        clause = frame.clause
        tokens = [clause.verb, clause.head, *clause.helpers, *(frame.object or []), *frame.tokens]
        if clause.subject is not None:
            tokens += [
                clause.subject,
                *(c for c in clause.subject.children if c.dep_ in {"det", "poss", "compound", "amod"}),
            ]
        places = [entry.words[token.i] for token in tokens]
        start, stop = min(word.start for word in places), max(word.stop for word in places)
        if moment is not None and moment.value and moment.start >= entry.piece.start:
            start, stop = min(start, moment.start), max(stop, moment.stop)
        return start, stop

    def _add(self, entry: Parsed, found: Iterable[asides.Aside]) -> None:
        """Statements that no clause makes: relations and appositions."""
        for aside in found:
            places = [entry.words[token.i] for token in aside.tokens if token.doc is entry.doc]
            if places:
                self.told.append(
                    Statement(
                        text=aside.text,
                        subject=aside.subject.name,
                        predicate=aside.predicate,
                        object=aside.object,
                        polarity=Polarity.POSITIVE,
                        modality=Modality.ASSERTED,
                        confidence=round(aside.sureness * (1 if self.own else FOREIGN), 3),
                        start=min(word.start for word in places),
                        stop=max(word.stop for word in places),
                    )
                )
