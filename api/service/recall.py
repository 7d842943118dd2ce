"""Answering a question from one snapshot of the store. Reads only; asking does not change the next answer."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from api.recall.adjust import ROLES
from api.recall.answer import Answer
from api.recall.candidate import SourceSpan, Wording
from api.recall.pipeline import recall
from api.recall.plan import make_plan, unnamed
from api.recall.reader import Reader
from api.recall.settings import RecallSettings
from api.service.context import Context
from schema import clock, intake, log
from schema.db import ReadSession
from schema.errors import Abandoned, LegUnavailable, ProviderUnavailable
from schema.kinds import Candidate
from schema.store import candidates, history, namespaces, postings, recall_log, vectors
from schema.store.namespaces import NamespaceRow, RecallNamespace
from schema.store.postings import Postings
from schema.store.spaces import SpaceRow
from workers.derive.entities import extract
from workers.derive.text import content_key, name_key

logger = log.get(__name__)

# Names of up to this many words are looked up in the namespace as they stand in the question.
NAME_WORDS = 3
# Words of a question in which names are looked for: a pasted page names everybody.
LONGEST_QUESTION = 200
_WORDS = re.compile(r"[\w'’.&-]+")


@dataclass
class StoreReader:
    """The store as recall's pipeline sees it, bound to one namespace and one snapshot."""

    session: ReadSession
    namespace: NamespaceRow
    space: SpaceRow | None
    behind: Mapping[str, int]
    at: datetime

    def postings(self, keys: Sequence[int]) -> Postings:
        """Read postings of term and entity keys, in one statement."""
        return postings.read(self.session, self.namespace.id, keys)

    def nearest(self, vector: NDArray[np.float32], limit: int) -> Sequence[tuple[int, float]]:
        """Read the nearest memories in the namespace's own space."""
        if self.space is None:
            raise LegUnavailable("this namespace has no vector space yet: no worker has run")
        return vectors.nearest(self.session, self.space.id, self.namespace.id, vector, limit)

    def pool(
        self, *, numbers: Sequence[int], ids: Sequence[int], reach: int, vector: NDArray[np.float32] | None
    ) -> list[Candidate]:
        """Read candidates and their neighbours."""
        near = (self.space.id, vector) if self.space is not None and vector is not None else None
        return candidates.read(
            self.session, self.namespace.id, numbers=numbers, ids=ids, reach=reach, near=near, at=self.at
        )

    def vectors(self, ids: Sequence[int]) -> dict[int, NDArray[np.float32]]:
        """Read vectors in the namespace's own space."""
        return {} if self.space is None else vectors.of_memories(self.session, self.space.id, self.namespace.id, ids)

    def wordings(self, ids: Sequence[int]) -> dict[int, Wording]:
        """Read what candidates say."""
        rows = candidates.wordings(self.session, self.namespace.id, ids, behind=self.behind)
        return {
            row.id: Wording(
                text=row.text,
                content_key=content_key(row.text),
                recorded_at=row.recorded_at,
                valid_from=row.valid_from,
                valid_to=row.valid_to,
                event=row.event,
                state=row.state,
                corroboration=row.corroboration,
                importance=row.importance,
                tier=row.tier,
                category=row.category,
                sources=tuple(SourceSpan(s.episode_id, s.revision, s.start, s.stop) for s in row.spans),
                stale=row.stale,
            )
            for row in rows
        }


class _Nothing:
    """A namespace nobody has written to."""

    def postings(self, _keys: Sequence[int]) -> Postings:
        return Postings(0, 0, {})

    def nearest(self, _vector: NDArray[np.float32], _limit: int) -> Sequence[tuple[int, float]]:
        return []

    def pool(self, **_what: object) -> list[Candidate]:
        return []

    def vectors(self, _ids: Sequence[int]) -> dict[int, NDArray[np.float32]]:
        return {}

    def wordings(self, _ids: Sequence[int]) -> dict[int, Wording]:
        return {}


@dataclass(frozen=True, slots=True)
class Asked:
    """An answer, and what it took to get it: milliseconds a stage."""

    answer: Answer
    timings: Mapping[str, float] = field(default_factory=dict)


def ask(
    context: Context,
    namespace: str,
    query: Any,
    *,
    overrides: Mapping[str, Any] | None = None,
    now: datetime | None = None,
    abandoned: Callable[[], bool] = lambda: False,
    session_id: str | None = None,
    served: bool = True,
    counted: bool = True,
    explain: bool = False,
) -> Asked:
    """Answer `query` from `namespace`. `now` (aware) fixes the moment that ranking takes for the present.

    What leaves in the answer is on record before it leaves (`served`: so that it is known again when it is told back to
    us; `session_id` is the conversation it goes into), and each memory's use is counted unless `counted` is false.
    `explain` reads what is turned down as fully as what is admitted, for the evidence.

    `abandoned` is asked before each model call whether anybody still waits. Raises InvalidInput naming the field,
    StoreUnavailable, NotMigrated, Abandoned. A model that is away costs its leg, not the
    answer, which then names the leg in `degraded`.
    """
    started = time.perf_counter()
    settings = RecallSettings().with_overrides(overrides or {})
    text = intake.question(query, context.settings)
    name = intake.namespace(namespace)
    # The parser runs beside the encoder: neither needs the other, and both let go of the interpreter for long.
    parsing = context.threads.submit(_extracted, context, text, abandoned) if settings.entity_weight else None
    # Models work while no connection is held: ten slow questions would otherwise keep every write waiting for the pool.
    # So the question is encoded for the space and without the speakers that this namespace was last read with, and
    # again should the snapshot disagree.
    space, heard = context.places.get(name, (None, frozenset()))
    literal = _literal_names(text)
    speakers = _named(heard, literal)
    while True:
        bare = unnamed(text, speakers)
        vector, no_vector = _encode(context, space, bare, abandoned) if settings.semantic_weight else (None, None)
        extracted, no_entities = parsing.result() if parsing is not None else ([], None)
        encoded_at = time.perf_counter()
        with context.database.read() as session:
            place = namespaces.for_recall(session, name, literal)
            known = _people(place)
            if place.space == space and known == speakers:
                # The second kind finds people in questions that nobody capitalised.
                found = (key for key in literal if key in place.known) if settings.entity_weight else ()
                names = [*extracted, *found] if place.namespace else []
                named_at = time.perf_counter()
                plan = make_plan(
                    text,
                    namespace=name,
                    now=now or clock.now(),
                    hash_key=place.hash_key,
                    entities=names,
                    vector=vector,
                    no_vector=no_vector if place.namespace is not None else None,
                    no_entities=no_entities,
                    space=space.fingerprint if space is not None else None,
                    language=place.namespace.language if place.namespace is not None else "english",
                    speakers=speakers,
                )
                answer = recall(plan, settings, _reader(session, place, plan.now), explain=explain)
                break
        heard = heard.difference(speakers).union(known)
        space, speakers = place.space, known
        context.places[name] = (space, heard)
    answered_at = time.perf_counter()
    if served and place.namespace is not None:
        _serve(context, place, answer, session_id, counted)
    timings = {
        "encode": (encoded_at - started) * 1000,
        "entities": (named_at - encoded_at) * 1000,
        **answer.timings,
        "record": (time.perf_counter() - answered_at) * 1000,
        "total": (time.perf_counter() - started) * 1000,
    }
    return Asked(answer, timings)


def _serve(context: Context, place: RecallNamespace, answer: Answer, session_id: str | None, counted: bool) -> None:
    """Put on record what leaves: digests of its sentences, and which memories were used."""
    assert place.namespace is not None  # noqa: S101 - the caller looked
    leaving = [(entry.ranked.candidate.id, entry.ranked.text) for entry in answer.memories]
    if not leaving:
        return
    rows = [
        (memory_id, trace.head, trace.whole, trace.words)
        for memory_id, text in leaving
        for trace in context.traces(text, place.hash_key)
    ]
    with context.database.write() as session:
        recall_log.record(session, place.namespace.id, rows, session_id)
        if counted:
            history.retrieved(session, place.namespace.id, [memory_id for memory_id, _ in leaving], session_id)


def _reader(session: ReadSession, place: RecallNamespace, at: datetime) -> Reader:
    if place.namespace is None:
        return _Nothing()
    return StoreReader(session, place.namespace, place.space, place.behind, at)


def _encode(
    context: Context, space: SpaceRow | None, text: str, abandoned: Callable[[], bool]
) -> tuple[NDArray[np.float32] | None, str | None]:
    if space is None:
        return None, "this namespace has no vector space yet: no worker has run"
    try:
        return context.encoder(space).query(text, abandoned), None
    except Abandoned:
        raise
    except ProviderUnavailable as error:
        return None, error.detail
    except Exception as error:  # noqa: BLE001 - whatever a model does to a question costs its leg, not the answer
        logger.warning("query_not_encoded", error=type(error).__name__)
        return None, f"the question could not be encoded ({type(error).__name__})"


def _extracted(context: Context, text: str, abandoned: Callable[[], bool]) -> tuple[list[str], str | None]:
    """Return the entities that the write side's extractor finds in the question, or why it could not look."""
    if abandoned():
        return [], None
    try:
        return [named.key for named in extract([text], context.settings.spacy_model)[0]], None
    except ProviderUnavailable as error:
        return [], error.detail
    except Exception as error:  # noqa: BLE001 - as for the encoder; names that the namespace knows are still found
        logger.warning("query_not_parsed", error=type(error).__name__)
        return [], f"the question could not be parsed ({type(error).__name__})"


def _people(place: RecallNamespace) -> tuple[str, ...]:
    """The people among the speakers that a question names; a role is nobody's name."""
    return tuple(speaker for speaker in place.speakers if speaker not in ROLES)


def _named(heard: frozenset[str], literal: Sequence[str]) -> tuple[str, ...]:
    """Those of the speakers known so far whose first word stands in the question, in key order."""
    words = set(literal)
    return tuple(sorted(speaker for speaker in heard if speaker.split()[0] in words))


def _literal_names(text: str) -> list[str]:
    """Return every run of up to NAME_WORDS words of the question as a name would be normalised, in order."""
    words = _WORDS.findall(text)[:LONGEST_QUESTION]
    spans = chain.from_iterable(
        (" ".join(words[start : start + length]) for start in range(len(words) - length + 1))
        for length in range(1, NAME_WORDS + 1)
    )
    return list(dict.fromkeys(key for key in map(name_key, spans) if key))
