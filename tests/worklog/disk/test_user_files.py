"""The user's own folder for a project is outside of it, private, and not needed."""

import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import platformdirs
import pytest

from unlatch.worklog.disk.user_files import (
    items_folder,
    make_items_folder,
    state_folder,
    user_config_file,
)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    return tmp_path / "state"


def made(root: Path) -> Path:
    root.mkdir()
    return root


def test_it_is_private_and_outside_of_the_project(tmp_path: Path, home: Path) -> None:
    root = made(tmp_path / "project")
    folder = state_folder(root)
    assert folder.is_relative_to(home / "unlatch")
    assert [0o700, 0o700] == [
        stat.S_IMODE(place.stat().st_mode) for place in (folder, folder.parent)
    ]
    assert [] == list(root.iterdir())


def _no_home(_name: str) -> Path:
    raise RuntimeError("could not determine the home directory")


@pytest.mark.parametrize(
    "found",
    [_no_home, lambda _name: Path("~/state/unlatch"), lambda _name: Path("/proc/state/unlatch")],
    ids=["none", "unresolved", "read-only"],
)
def test_without_a_home_it_is_temporary(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, found: Callable[[str], Path]
) -> None:
    root = made(tmp_path / "project")
    monkeypatch.chdir(root)
    for name in ("XDG_STATE_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(platformdirs, "user_state_path", found)
    folder = state_folder(root)
    assert folder.name.startswith("unlatch-")
    assert folder == state_folder(root)
    assert [] == list(root.iterdir())


@pytest.mark.parametrize("home", ["/home/ada", "relative", "", None])
@pytest.mark.parametrize("given", ["/given", "relative", "~/given", "", None])
def test_the_users_folders_are_those_of_platformdirs(
    monkeypatch: pytest.MonkeyPatch, home: str | None, given: str | None
) -> None:
    for name, value in (("HOME", home), ("XDG_CONFIG_HOME", given), ("XDG_STATE_HOME", given)):
        monkeypatch.delenv(name, raising=False)
        if value is not None:
            monkeypatch.setenv(name, value)

    assert platformdirs.user_config_path("unlatch") / "config.toml" == user_config_file()
    assert platformdirs.user_state_path("unlatch") / "items" == items_folder()


_AS_NOBODY = """
import os, sys
from pathlib import Path
import hashlib, shutil, tempfile  # before the process may do less
from unlatch.worklog.disk.user_files import state_folder

os.setgroups([])
os.setgid(65534)
os.setuid(65534)
folder = state_folder(Path(sys.argv[1]))
(folder / "file").write_text("kept")
print(folder)
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become nobody")
def test_a_folder_of_another_user_is_not_used(tmp_path: Path, home: Path) -> None:
    root = made(tmp_path / "project")
    state_folder(root)
    for folder in (tmp_path, *tmp_path.parents, home, home / "unlatch"):
        if folder.stat().st_uid == 0 and folder != Path("/"):
            folder.chmod(folder.stat().st_mode | 0o055)
    done = subprocess.run(
        [sys.executable, "-c", _AS_NOBODY, str(root)], capture_output=True, text=True, check=True
    )
    folder = Path(done.stdout.strip())
    assert (True, False) == (folder.name.startswith("unlatch-"), folder.exists())
    assert "" == done.stderr


@pytest.mark.parametrize("make", [state_folder, lambda _: make_items_folder()])
def test_git_leaves_it_out_and_it_may_be_deleted_at_any_time(
    home: Path, tmp_path: Path, make: Callable[[Path], object]
) -> None:
    root = made(tmp_path / "project")
    for _ in range(2):
        folder = make(root)
        assert "*\n" == (home / "unlatch" / ".gitignore").read_text()
        assert folder == state_folder(root) or make is not state_folder
        shutil.rmtree(home / "unlatch")
