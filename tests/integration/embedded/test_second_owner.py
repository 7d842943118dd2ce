"""One owner per data directory, and a clear word for the second."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from deploy.embedded import EmbeddedError, Runtime, attach, erase, start

from .support import Owner, words


def test_the_second_owner_is_told_who_the_first_is(data_dir: Path, owner: Callable[..., Owner]) -> None:
    first = owner(data_dir)
    pid = first.hear()["pid"]
    expected = f"{data_dir} is in use by process {pid} .*program.py.*stop that one first"
    with pytest.raises(EmbeddedError, match=expected), start(data_dir):
        pass
    with pytest.raises(EmbeddedError, match=expected):
        erase(data_dir)
    found = attach(data_dir)
    assert found is not None
    assert words(found) == ["漢字😀é"]


def test_the_same_process_is_no_exception(data_dir: Path) -> None:
    with start(data_dir) as instance:
        second = Runtime(data_dir)
        with pytest.raises(EmbeddedError, match="in use by process"):
            second.start()
        second.stop()
        assert attach(data_dir) == instance
        assert words(instance)


def test_of_two_starts_at_once_one_serves_and_the_other_may_attach(data_dir: Path, owner: Callable[..., Owner]) -> None:
    both = [owner(data_dir), owner(data_dir)]
    found = attach(data_dir, wait=20)
    while found is None:
        found = attach(data_dir, wait=20)
    said = [one.hear() for one in both]
    errors = [word["error"] for word in said if "error" in word]
    served = [word for word in said if "url" in word]
    assert len(errors) == len(served) == 1
    assert f"process {served[0]['pid']}" in errors[0]
    assert found.owner_pid == served[0]["pid"]
    assert words(found) == ["漢字😀é"]


def test_a_new_owner_takes_over_at_once(data_dir: Path, owner: Callable[..., Owner]) -> None:
    first = owner(data_dir)
    first.hear()
    first.kill()
    assert attach(data_dir) is None
    with start(data_dir) as instance:
        assert words(instance)
