"""An unchanged issue costs no quota; its cached answer is never trusted by itself."""

import stat
from pathlib import Path

import pytest
from tests.unlatch_github.making import (
    REOPEN,
    REPOSITORY,
    closed_issue,
    ref,
    settings_for,
)

from unlatch.errors import NotFound, Unauthorised
from unlatch.transport import for_tests, measure
from unlatch_github.api import connection
from unlatch_github.plugin import GithubPlugin
from unlatch_sandbox import Sandbox


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path


def _plugin(box: Sandbox, cache: Path, *, token: str | None = None) -> GithubPlugin:
    settings = settings_for(box)
    transport = for_tests("github", settings.base_url, token=token or box.github.token, cache=cache)
    return GithubPlugin(settings, transport)


def _statuses(box: Sandbox) -> list[int | None]:
    return [entry.status for entry in box.requests.entries("github")]


def _files(cache: Path) -> list[Path]:
    return sorted(path for path in cache.rglob("*") if path.is_file())


def test_an_unchanged_issue_is_not_sent_again(box: Sandbox, cache: Path) -> None:
    number = closed_issue(box)
    first = _plugin(box, cache).read(ref(box, number)).item

    # Another process, as it were.
    with measure() as meter:
        again = _plugin(box, cache).read(ref(box, number)).item

    assert first == again
    assert (_statuses(box), meter.requests) == ([200, 304], 1)


def test_a_change_reads_what_is_there_and_not_what_is_kept(box: Sandbox, cache: Path) -> None:
    number = closed_issue(box)
    plugin = _plugin(box, cache)
    plugin.read(ref(box, number))

    plugin.read(ref(box, number), REOPEN)

    assert _statuses(box) == [200, 200]


def test_what_is_kept_holds_every_fact_and_no_body(box: Sandbox, cache: Path) -> None:
    box.github.add_milestone("v1")
    number = box.github.add_issue(
        title="Größe", body="A SECRET TEXT", labels=["a/b", "ü"], assignee="hubot", milestone=1
    )
    box.github.edit(REPOSITORY, number, type="Bug")
    first = _plugin(box, cache).read(ref(box, number)).item

    again = _plugin(box, cache).read(ref(box, number)).item

    assert first == again
    (kept,) = _files(cache)
    assert "SECRET" not in kept.read_text()
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600


def test_what_may_no_longer_be_seen_is_not_shown_from_what_is_kept(
    box: Sandbox, cache: Path
) -> None:
    number = closed_issue(box)
    _plugin(box, cache).read(ref(box, number))

    with pytest.raises(Unauthorised):
        _plugin(box, cache, token="revoked").read(ref(box, number))
    box.github.edit(REPOSITORY, number, deleted=True)
    with pytest.raises(NotFound):
        _plugin(box, cache).read(ref(box, number))


def test_the_oldest_files_make_room(
    box: Sandbox, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "_MOST", 3)
    plugin = _plugin(box, cache)
    for _ in range(5):
        plugin.read(ref(box, box.github.add_issue(title="Smart")))

    assert len(_files(cache)) == 3
