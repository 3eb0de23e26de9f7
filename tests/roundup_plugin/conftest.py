"""The example of the wheel, installed as a distribution of its own, and a live Roundup.

The distribution is the skeleton of `unlatch plugins new roundup` with the modules of the example,
as its author would begin. Nothing here imports the plugin from the tree: it is built, installed
into a folder, and found by its entry point. The folder is on sys.path while a test of this package
runs, and not longer, so that other tests see the trackers that come with unlatch alone.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from filelock import FileLock
from tests.conformance.conftest import is_in_turn, is_of_the_plugin
from tests.servers import roundup
from tests.servers.availability import skipped_unless_available
from tests.warm.client import unlatch

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).parent
EXAMPLE = HERE.parents[1] / "plugins" / "unlatch_example"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave most faults to `make torture`: a request to a live Roundup takes its time.

    The conformance tests of the three trackers that come with unlatch try them.
    """
    for item in items:
        is_own = "_survives[" in item.name and is_of_the_plugin(item.name)
        is_fault = "[" in item.name and is_in_turn(item.name)
        if item.path.parent == HERE and is_fault and not is_own:
            item.add_marker("sweep")


@pytest.fixture(scope="session")
def roundup_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[roundup.Roundup]:
    folder = tmp_path_factory.mktemp("roundup")
    with skipped_unless_available(), roundup.roundup_server(folder) as server:
        server.add_status("wont-do")
        yield server


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that the plugin is installed in, once for all workers of pytest-xdist."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    folder = shared / "site-of-unlatch-roundup"
    with FileLock(f"{folder}.lock"):
        if not folder.exists():
            _install(_distribution(tmp_path_factory.mktemp("author")), folder)
    return folder


@pytest.fixture(autouse=True)
def _installed(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(site))


def _distribution(place: Path) -> Path:
    command = [*unlatch(), "plugins", "new", "roundup"]
    subprocess.run(command, cwd=place, check=True, capture_output=True, timeout=60)
    for module in EXAMPLE.glob("*.py"):
        shutil.copy(module, place / "unlatch-roundup" / "unlatch_roundup")
    return place / "unlatch-roundup"


def _install(distribution: Path, folder: Path) -> None:
    # All that it takes is here already: nothing is asked of the network.
    alone = ["--no-deps", "--no-index", "--no-build-isolation", "--disable-pip-version-check"]
    subprocess.run(
        [
            sys.executable,
            "-m",
            "pip",
            "install",
            *alone,
            "--quiet",
            "--target",
            folder,
            distribution,
        ],
        check=True,
        timeout=120,
    )
