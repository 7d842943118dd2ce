"""What the settings say before anything is asked, and what the extractor is named by."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import SecretStr

from schema.errors import SettingsError
from schema.settings import Settings, load
from workers.derive.contract import Extractor
from workers.derive.llm import ChatExtractor

URL = "http://127.0.0.1:9/v1"


def refused(monkeypatch: pytest.MonkeyPatch, **variables: str) -> SettingsError:
    for name, value in variables.items():
        monkeypatch.setenv(f"PALIMPSEST_{name}", value)
    with pytest.raises(SettingsError) as caught:
        load()
    return caught.value


@pytest.mark.parametrize(
    ("variables", "field", "hint"),
    [
        ({"EXTRACTOR": "gpt"}, "EXTRACTOR", "rules (offline), llm (a chat endpoint) or none"),
        ({"EXTRACTOR": "llm"}, "LLM_URL", "https://host/v1"),
        ({"EXTRACTOR": "llm", "LLM_URL": URL}, "LLM_MODEL", "PALIMPSEST_EXTRACTOR=llm"),
        ({"LLM_URL": "localhost:8000"}, "LLM_URL", "https://host/v1"),
        ({"LLM_URL": "http://[::1"}, "LLM_URL", "https://host/v1"),
        ({"LLM_URL": "http://host:99999"}, "LLM_URL", "https://host/v1"),
        ({"LLM_URL": "http://me:secret@host/v1"}, "LLM_URL", "PALIMPSEST_LLM_KEY"),
        ({"LLM_KEY": "secret\n"}, "LLM_KEY", "printable"),
        ({"LLM_TIMEOUT_SECONDS": "0"}, "LLM_TIMEOUT_SECONDS", "greater than 0"),
    ],
)
def test_a_wrong_setting_is_named(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], field: str, hint: str
) -> None:
    error = refused(monkeypatch, **variables)
    assert error.field == f"PALIMPSEST_{field}"
    assert error.detail.startswith(f"PALIMPSEST_{field}: ")
    assert hint in error.detail
    assert "secret" not in str(error)


def test_the_key_is_not_shown() -> None:
    settings = Settings(extractor="llm", llm_url=f"{URL}/", llm_model="m", llm_key=SecretStr("sk-1"))
    assert "sk-1" not in repr(settings)
    assert "sk-1" not in str(settings.model_dump())
    assert settings.llm_url == URL


def test_the_whole_address_will_do() -> None:
    assert Settings(llm_url=f"{URL}/chat/completions").llm_url == URL


def test_without_address_there_is_no_extractor() -> None:
    with pytest.raises(SettingsError, match="PALIMPSEST_LLM_URL"):
        ChatExtractor.from_settings(Settings())


def named(**other: Any) -> str:
    fields: dict[str, Any] = {"extractor": "llm", "llm_url": URL, "llm_model": "m"} | other
    extractor: Extractor = ChatExtractor.from_settings(Settings(**fields))
    assert extractor.costly
    assert extractor.context_turns == fields.get("llm_context_turns", 4)
    return extractor.fingerprint


def test_the_fingerprint_names_what_decides_the_output() -> None:
    assert named() == named(
        llm_url="https://elsewhere/v1", llm_key=SecretStr("k"), llm_retries=0, llm_timeout_seconds=3
    )
    assert len({named(), named(llm_model="n"), named(llm_context_turns=0)}) == 3


def test_nothing_is_imported_or_opened_to_name_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workers.derive.llm.client.httpx.Client", None)
    assert named()
