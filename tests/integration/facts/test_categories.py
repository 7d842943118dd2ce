"""Categories: opt in, by a real (tiny, random) NLI model, for what is told from then on and what was there before."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import text

from schema.db import Database
from schema.errors import ProviderUnavailable, SettingsError
from schema.settings import Settings, load
from schema.store import indexes
from tests.support.store import assert_current, backlog, drain, tell
from tests.support.tiny import nli
from workers.derive.nli import ZeroShot

TEXTS = ["Ann likes tea.", "Bo sees a doctor.", "Di owns a boat."]
LABELS = ["health", "food", "travel"]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> str:
    return nli(tmp_path_factory.mktemp("nli") / "one", ["contradiction", "entailment", "neutral"])


def test_the_order_of_outputs_is_the_models_own(tmp_path: Path, model: str) -> None:
    other = nli(tmp_path / "other", ["NEUTRAL", "CONTRADICTION", "ENTAILMENT"])
    with pytest.raises(ProviderUnavailable, match="names no entailment"):
        ZeroShot(nli(tmp_path / "wrong", ["yes", "no"]), LABELS, 0.5).scores(TEXTS)
    one = ZeroShot(model, LABELS, 0.5).scores(TEXTS)
    assert one.shape == (3, 3)
    assert ((one >= 0) & (one <= 1)).all()
    same = nli(tmp_path / "same", ["neutral", "contradiction", "entailment"])
    np.testing.assert_allclose(ZeroShot(same, LABELS, 0.5).scores(TEXTS), one, atol=1e-5)
    assert ZeroShot(other, LABELS, 0.5).scores(TEXTS).shape == (3, 3)


def test_a_label_needs_its_threshold(model: str) -> None:
    scores = ZeroShot(model, LABELS, 0.5).scores(TEXTS)
    best = float(scores[0].max())
    assert ZeroShot(model, LABELS, best).categories(TEXTS[:1]) == [LABELS[int(scores[0].argmax())]]
    assert ZeroShot(model, LABELS, min(best + 1e-5, 1.0)).categories(TEXTS[:1]) == [None]


def test_everything_that_decides_is_in_the_fingerprint(model: str, tmp_path: Path) -> None:
    other = nli(tmp_path / "seed", ["contradiction", "entailment", "neutral"], seed=8)
    prints = {
        ZeroShot(model, LABELS, 0.5).fingerprint,
        ZeroShot(model, LABELS, 0.6).fingerprint,
        ZeroShot(model, LABELS[::-1], 0.5).fingerprint,
        ZeroShot(model, LABELS[:2], 0.5).fingerprint,
        ZeroShot(other, LABELS, 0.5).fingerprint,
    }
    assert len(prints) == 5


def _categories(database: Database) -> list[str | None]:
    with database.read() as session:
        return list(session.execute(text("SELECT category FROM memories WHERE kind = 'passage' ORDER BY id")).scalars())


def test_without_a_classifier_there_are_none(database: Database, settings: Settings) -> None:
    tell(database, "n", TEXTS)
    drain(database, settings)
    assert _categories(database) == [None] * 3
    assert "categories" not in backlog(database)


def test_opting_in_covers_what_was_there_and_what_comes(database: Database, settings: Settings, model: str) -> None:
    tell(database, "n", TEXTS[:2])
    drain(database, settings)
    wanted = settings.model_copy(update={"classifier": model, "categories": ",".join(LABELS), "category_threshold": 0})
    drain(database, wanted)
    expected = ZeroShot(model, LABELS, 0).categories(TEXTS)
    assert _categories(database) == expected[:2]
    tell(database, "n", TEXTS[2:])
    drain(database, wanted)
    assert _categories(database) == expected
    assert_current(database)
    # A process that is not set up for it leaves the rows due and derives the rest.
    tell(database, "n", ["Ann owns tea."])
    drain(database, settings)
    assert backlog(database)["categories"]["stale"] == 2
    drain(database, wanted)
    assert_current(database)


def test_other_labels_are_other_rules_and_opting_out_takes_all_of_it(
    database: Database, settings: Settings, model: str
) -> None:
    wanted = settings.model_copy(update={"classifier": model, "categories": ",".join(LABELS), "category_threshold": 0})
    tell(database, "n", TEXTS)
    drain(database, wanted)
    fewer = wanted.model_copy(update={"categories": "home,work"})
    drain(database, fewer)
    assert set(_categories(database)) <= {"home", "work"}
    with database.write() as session:
        indexes.drop(session, "categories")
    drain(database, settings)
    assert _categories(database) == [None] * 3
    assert_current(database)


def test_a_model_that_is_not_there_snoozes_categories_only(database: Database, settings: Settings) -> None:
    wanted = settings.model_copy(update={"classifier": "/no/such/model"})
    tell(database, "n", TEXTS)
    reports = drain(database, wanted)
    assert "PALIMPSEST_CLASSIFIER" in (reports["categories"].snoozed or "")
    assert backlog(database)["memories"]["stale"] == 0


@pytest.mark.parametrize("value", ["", "a,,b", "a,a", ",".join(str(number) for number in range(51))])
def test_labels_that_are_no_set_are_refused(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("PALIMPSEST_CATEGORIES", value)
    with pytest.raises(SettingsError, match="PALIMPSEST_CATEGORIES: must be 1 to 50 different labels"):
        load()
