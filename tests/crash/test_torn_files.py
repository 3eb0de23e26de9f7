"""Files cut short at any byte are recovered or reported, and never read as something else."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.changes import reopen, transition
from tests.cli.project import NAME, REASON, Project
from tests.cli.refusing import assert_refused, assert_unchanged

from unlatch.errors import StoreError
from unlatch.increments.files.manager import MetadataManager
from unlatch.increments.files.paths import paths_at
from unlatch.increments.model.increment import Increment
from unlatch.increments.model.status import Status
from unlatch.increments.records.events import Linked, read_events
from unlatch.increments.records.status_events import LOG
from unlatch.project.workspace import Workspace
from unlatch.worklog.event_log import Event

RESUME = ("resume", "7", "--reason", REASON, "--yes")
# A few lengths of a file; `make torture` takes all of them.
some_or_all = pytest.mark.parametrize("step", [41, pytest.param(1, marks=pytest.mark.sweep)])


@pytest.fixture
def busy(project: Project) -> Project:
    """An increment with a history, with synced items, and with operations still to be delivered."""
    project.enter("busy", _reopen_twice)
    return project


def _reopen_twice(project: Project) -> None:
    project.increment(links=project.items())
    reason = f"{REASON}: \u2028 `-->` ünïcode 🙂"
    assert project.run("resume", "7", "--reason", reason, "--yes").code == 0
    assert project.run("complete", "7").code == 0
    assert project.run("resume", "7", "--reason", "Once more", "--yes", "--offline").code == 0


def manager_of(project: Project) -> MetadataManager:
    paths = paths_at(project.root)
    return Workspace(paths, environ={}, user_config=project.home / "none.toml").manager


@some_or_all
def test_every_prefix_of_metadata_is_reported_or_is_the_whole(busy: Project, step: int) -> None:
    manager, path = manager_of(busy), busy.folder() / "metadata.json"
    whole, content = manager.read("7"), path.read_bytes()
    lengths = {*range(0, len(content), step), len(content) - 1}
    reported = 0

    for length in sorted(lengths):
        path.write_bytes(content[:length])
        found = manager.list()[0]
        if isinstance(found, Increment):
            assert (whole, b"") == (found, content[length:].strip()), length
            continue
        assert ("metadata-invalid", NAME) == (found.error_id, found.id), length
        assert found.hint
        reported += 1

    assert reported > len(lengths) - 3


@some_or_all
def test_no_prefix_of_metadata_is_ever_written_to(busy: Project, step: int) -> None:
    manager, path = manager_of(busy), busy.folder() / "metadata.json"
    content, events = path.read_bytes(), busy.events()

    for length in range(0, len(content) - 2, 3 * step):
        path.write_bytes(content[:length])
        for change in (
            lambda: reopen(manager, "7", "why", "ada"),
            lambda: transition(manager, "7", Status.PAUSED, by="ada"),
            lambda: manager.unarchive("7"),
        ):
            with pytest.raises(StoreError) as caught:
                change()
            assert caught.value.id == "metadata-invalid"
        assert content[:length] == path.read_bytes()

    assert events == busy.events()


@pytest.mark.parametrize(
    "share",
    [0.6, *(pytest.param(share, marks=pytest.mark.sweep) for share in (0.0, 0.3, 0.99))],
)
def test_commands_report_a_torn_metadata_file_and_touch_nothing(
    busy: Project, share: float
) -> None:
    path = busy.folder() / "metadata.json"
    content = path.read_bytes()
    path.write_bytes(content[: int(share * len(content))])
    before = busy.tree()

    for command in (RESUME, ("undo", "7", "--yes"), ("sync", "7"), ("show", "7"), ("history", "7")):
        assert_refused(busy.run(*command), 1, "metadata-invalid")

    assert "broken" in busy.run("list").out
    assert (5, True) == ((done := busy.run("sync", "--yes")).code, "cannot be read" in done.out)
    assert busy.run("status", "--json").document["broken"][0]["id"] == NAME
    assert_unchanged(busy, before)

    path.write_bytes(content)
    assert busy.run("sync", "7", "--yes").code == 0


def known(events: list[Event]) -> dict[str, dict[str, Any]]:
    return {event.id: LOG.entry(event) for event in events}


@some_or_all
def test_events_cut_at_every_byte_are_those_that_are_whole(busy: Project, step: int) -> None:
    increment, path = manager_of(busy).read("7"), busy.folder() / "events.jsonl"
    content, told = path.read_bytes(), {one["id"]: one for one in busy.events()}
    reopens = {entry.id for entry in increment.reopens}
    assert (len(told) > 8, len(reopens)) == (True, 2)

    # Beside the samples, each line with its end, without it, and with one character more.
    ends = [end + d for end, byte in enumerate(content) if byte == 10 for d in (0, 1, 2)]
    for length in sorted({*range(0, len(content) + 1, step), *ends[:-1]}):
        path.write_bytes(content[:length])
        found = known(read_events(busy.folder(), increment.reopens))
        lines = [line for line in content[:length].split(b"\n") if line]
        # A cut takes a line as a whole or leaves it as a whole, and what is missing is derived.
        is_torn = bool(lines) and lines[-1] + b"\n" not in content
        whole = {json.loads(line)["id"] for line in lines[: len(lines) - is_torn]}
        # Only the line has the name in git.
        derived = {key: {**told[key]} for key in reopens - whole}
        assert [entry.pop("gitName") for entry in derived.values()] == ["Gil Git"] * len(derived)
        assert {**derived, **{key: told[key] for key in whole}} == found, length
        assert LOG.lost_lines(busy.folder()) == is_torn, length


@some_or_all
def test_what_is_written_after_a_torn_line_spoils_nothing(busy: Project, step: int) -> None:
    manager, path = manager_of(busy), busy.folder() / "events.jsonl"
    content = path.read_bytes()
    new = Linked(
        id="01KA0000000000000000000001", at=manager.clock(), by="ada", tracker="jira", item="A-1"
    )

    for length in range(0, len(content) + 1, step):
        path.write_bytes(content[:length])
        before = known(read_events(busy.folder()))
        LOG.append(busy.folder(), new)
        assert {**before, new.id: LOG.entry(new)} == known(read_events(busy.folder()))
        assert path.read_bytes().startswith(content[:length])


@pytest.mark.parametrize("lost", [40, pytest.param(1, marks=pytest.mark.sweep)])
def test_history_says_that_a_line_is_torn_and_the_next_command_goes_on(
    busy: Project, lost: int
) -> None:
    path: Path = busy.folder() / "events.jsonl"
    path.write_bytes(path.read_bytes()[: -lost - 1])

    history = busy.run("history", "7")

    assert history.code == 0
    assert "reopened: Once more" in history.out
    assert "note: 1 line of events.jsonl cannot be read; unlatch doctor shows it" in history.err
    assert "event-unreadable" in busy.run("doctor").said
    assert busy.run("sync", "7", "--yes").code == 0
    assert [2, 2, 2] == [len(said) for said in busy.comments().values()]


def test_events_that_cannot_be_read_at_all_are_reported(busy: Project) -> None:
    path = busy.folder() / "events.jsonl"
    path.unlink()
    path.mkdir()

    assert_refused(busy.run("history", "7"), 1, "not-a-file")
