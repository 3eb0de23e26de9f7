"""Fixtures of all tests."""

from __future__ import annotations

import gc
import os
import signal
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from _pytest.runner import runtestprotocol
from hypothesis import HealthCheck, settings
from tests.pairs import rest_of_products
from tests.warm import client

from unlatch.errors import known_secrets
from unlatch.project.git import run
from unlatch.worklog import entry_points
from unlatch.worklog.search_path import find_program
from unlatch_doctor import snapshot
from unlatch_doctor.schemas import event_schema, metadata_schema

if TYPE_CHECKING:
    from collections.abc import Iterator

    from unlatch.increments.records.shapes import Shapes
    from unlatch_sandbox import Sandbox


# How long an example takes depends on what else the machine does; no property is about time. A CI
# run is about its commit, so its examples are the same each time.
settings.register_profile(
    "any machine",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    max_examples=20,
    derandomize="CI" in os.environ,
)
settings.register_profile("quick", settings.get_profile("any machine"), max_examples=10)
settings.register_profile("thorough", settings.get_profile("any machine"), max_examples=400)
settings.load_profile("any machine")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let `make quick` prove that it does without HTTP."""
    parser.addoption("--no-network", action="store_true", help="no sandbox, no connection")


def pytest_configure(config: pytest.Config) -> None:
    """Refuse connections from now on, where that is asked for, and keep to one core."""
    # A shell lets what it starts in the background ignore Ctrl-C; programs under test would, too.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if config.getoption("--no-network"):
        sys.addaudithook(_refuse_connections)
    if worker := os.environ.get("PYTEST_XDIST_WORKER"):
        _keep_to_one_core(int(worker.removeprefix("gw")))
        client.share(config.workerinput["warm"])  # type: ignore[attr-defined]


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Let all workers share a server that forks: loading all modules takes two seconds."""
    folder = client.programs()
    node.workerinput["warm"] = folder and str(folder)


def _keep_to_one_core(number: int) -> None:
    """Let the threads of a worker share a core: each holds the GIL for a moment only.

    Passing it between cores takes a sixth more of their time.
    """
    if sys.platform == "linux":
        cores = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {cores[number % len(cores)]})


def _refuse_connections(event: str, _arguments: object) -> None:
    assert event != "socket.connect", "a test that connects is not for `make quick`"


@pytest.fixture(scope="session", autouse=True)
def state_home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the caches of projects apart from the developer's."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield


@pytest.fixture(scope="session")
def _running() -> Iterator[Sandbox]:
    from unlatch_sandbox import Sandbox  # noqa: PLC0415  (for tests that connect)

    with Sandbox() as box:
        yield box


@pytest.fixture
def box(_running: Sandbox) -> Sandbox:
    """The sandbox's trackers, with empty projects; Jira is Cloud."""
    _running.reset()
    return _running


@pytest.fixture(autouse=True)
def _no_known_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test begins as a new process, which has used no secret."""
    monkeypatch.setattr(known_secrets, "_forms", set())


@pytest.fixture(scope="session", autouse=True)
def _installed_once() -> Iterator[None]:
    """Look at the distributions of this environment once, as a process does: no test changes it."""
    read, own = entry_points._installed_in, frozenset(filter(None, sys.path))

    @cache
    def points(folder: str, group: str) -> list[tuple[str, str, str]]:
        return [*read(folder, group)]

    def installed(folder: str, group: str) -> Iterator[tuple[str, str, str]]:
        return iter(points(folder, group)) if folder in own else read(folder, group)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(entry_points, "_installed_in", installed)
        yield


@pytest.fixture(scope="session", autouse=True)
def _schemas_made_once() -> Iterator[None]:
    """Derive the schemas of an increment's files once, as a process does: it takes 15 ms."""
    made: dict[str, Any] = {}

    def metadata(shapes: Shapes) -> Any:
        if (key := repr(shapes)) not in made:
            made[key] = metadata_schema(shapes)
        return made[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(snapshot, "metadata_schema", metadata)
        patch.setattr(snapshot, "event_schema", cache(event_schema))
        yield


@pytest.fixture(scope="session", autouse=True)
def _names_asked_once() -> Iterator[None]:
    """Ask git for the user's name once for each state of the files that it reads."""
    ask_git = run.ask_git
    answers: dict[tuple[object, ...], str | None] = {}

    def asked(root: Path, *arguments: str) -> str | None:
        key = _read_by_git(root) if arguments == ("config", "--get", "user.name") else None
        if key is None:
            return ask_git(root, *arguments)
        if key not in answers:
            answers[key] = ask_git(root, *arguments)
        return answers[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run, "ask_git", asked)
        yield


def _read_by_git(root: Path) -> tuple[object, ...] | None:
    """The program, variables and files that decide its configuration; None if more may."""
    places = (root, *root.parents)
    top = next((one for one in places if os.path.lexists(one / ".git")), root)
    repository = top / ".git"
    is_plain = (repository / "HEAD").is_file() or not os.path.lexists(repository)
    if not is_plain or any(os.path.lexists(one / "HEAD") for one in places):
        return None
    home = Path(os.environ.get("HOME", os.devnull))
    files = (home / ".gitconfig", home / ".config" / "git" / "config", repository / "config")
    texts = tuple(file.read_bytes() if file.is_file() else b"" for file in files)
    variables = [one for one in os.environ.items() if one[0].startswith("GIT_")]
    elsewhere = {"GIT_CONFIG_GLOBAL", "GIT_DIR", "XDG_CONFIG_HOME"} & os.environ.keys()
    if elsewhere or b"include" in b"".join(texts).lower():
        return None
    return find_program("git", apart=root), *variables, texts


@pytest.hookimpl(tryfirst=True)
def pytest_collection() -> None:
    """Collect no garbage while ten thousand tests are made, for there is none."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Leave the tests out of every later garbage collection: they stay to the end.

    What they make afterwards is little garbage: look for it less often than Python does by default.
    """
    gc.freeze()
    gc.set_threshold(100_000, 20, 50)
    gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Let workers report calls and failures alone: most of five messages per test say nothing."""
    if "PYTEST_XDIST_WORKER" not in os.environ:
        return None
    for report in runtestprotocol(item, nextitem=nextitem, log=False):
        if report.when == "call" or not report.passed:
            item.ihook.pytest_runtest_logreport(report=report)
    return True


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Begin with the sweeps, then the guides: a long test at the end keeps one worker waiting."""
    for item in rest_of_products(items):
        item.add_marker("sweep")
    if config.getoption("--no-network"):
        items[:] = [item for item in items if "box" not in getattr(item, "fixturenames", ())]
    first = ("tests/crash/", "tests/docs/")
    items.sort(key=lambda item: [not item.nodeid.startswith(folder) for folder in first])


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print how much the sweeps tried."""
    told = sorted(
        f"{name}: {value}"
        for report in terminalreporter.getreports("passed")
        if "crash" in report.nodeid.split("/")
        for name, value in report.user_properties
    )
    if told:
        terminalreporter.section("what the sweeps tried")
        terminalreporter.write_line("\n".join(told))
