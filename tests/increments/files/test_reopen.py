from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.changes import reopen, transition, undo
from tests.increments.files.making import STAMP, Project, metadata, tree, ulid

from unlatch.errors import StoreError, UsageError
from unlatch.increments.model.reason import LONGEST_REASON
from unlatch.increments.model.status import Status
from unlatch.increments.records.status_events import LOG
from unlatch.worklog.ids import derived_ulid

HOSTILE = [
    "a --> b", "$& $1 \\1 \\g<0>", "it's \"quoted\"", "two\nlines\r\nand\ttabs", "\x1b[31mred\x00",
    "@all #5", "{code}h1. [~x]", "<b>&amp;</b>", "{reason} %s {0}", "\u202etxt", "é 漢 🎉",
    "line\u2028separator\u0085next", "::error::x",
    '","status":"completed', "---\nstatus: x",
]  # fmt: skip


def entries(folder: Path) -> list[dict[str, Any]]:
    return [LOG.entry(event) for event in LOG.read(folder)]


def test_the_file_differs_only_by_what_changed(project: Project) -> None:
    at = datetime(2025, 11, 1, tzinfo=UTC)
    op = derived_ulid(at, ["reopen", "0007-search", "why", at.isoformat()])
    entry = (
        f'"id": "{op}", "reopenedAt": "{STAMP}", "reason": "why", "previousStatus": "completed", '
        '"previousCompletedAt": "2025-11-01", "reopenedBy": "ada", "doneWork": 0, "syncedTo": {}'
    )
    before = [
        "{",
        '\t"id": "0007-search",',
        '\t"status": "completed",   "type": "feature",',
        '\t"completed": "2025-11-01",',
        '\t"lastUpdated": "2025-11-01T09:00:00Z",',
        '\t"odd": [1,  2, 1.50, "\\u00e9"],',
        '\t"last": {"deep":   true}',
        "}",
    ]
    after = [
        *before[:2],
        '\t"status": "active",   "type": "feature",',
        '\t"completed": null,',
        f'\t"lastUpdated": "{STAMP}",',
        before[5],
        f"{before[6]},",
        '\t"reopenHistory": [',
        f"\t\t{{{entry.replace(', ', ',   ')}}}",  # as the items that share a line there
        "\t]",
        "}",
    ]
    folder = project.add("\r\n".join(before).encode())
    reopen(project.manager, "7", "why", "ada")
    assert (folder / "metadata.json").read_bytes().decode().split("\r\n") == after


@pytest.mark.parametrize("status", [s for s in Status if s is not Status.COMPLETED])
def test_only_what_is_completed_can_be_reopened(project: Project, status: Status) -> None:
    project.add(metadata(status=status.value), spec="---\nstatus: other\n---\n")
    before = tree(project.root)
    with pytest.raises(StoreError) as caught:
        reopen(project.manager, "7", "why", "ada")
    assert (caught.value.id, tree(project.root)) == ("not-completed", before)


@pytest.mark.parametrize("key", ["completed", "completed_at", "completedDate"])
def test_the_completion_goes_and_comes_back_under_its_name(project: Project, key: str) -> None:
    project.add({"status": "completed", key: "2025-11-01 evening", "last": 1})
    _, entry = reopen(project.manager, "7", "why", "ada")
    assert (project.data().get(key), entry.previous_completed_at) == (None, "2025-11-01 evening")
    undo(project.manager, "7", by="ada")
    data = project.data()
    assert (list(data)[:3], data[key]) == (["status", key, "last"], "2025-11-01 evening")
    assert "completedAt" not in data
    reopen(project.manager, "7", "why", "ada")
    transition(project.manager, "7", Status.COMPLETED, by="ada")
    data = project.data()
    assert (list(data)[:3], data[key]) == (["status", key, "last"], STAMP)
    assert "completedAt" not in data


def test_an_archived_increment_whose_place_is_taken_stays(project: Project) -> None:
    project.add(metadata(), archive="_archive")
    (project.increments / "0007-search").write_text("a file")
    before = tree(project.root)
    with pytest.raises(StoreError) as caught:
        reopen(project.manager, "7", "why", "ada")
    assert (caught.value.id, tree(project.root)) == ("archive-blocked", before)


@pytest.mark.parametrize("reason", HOSTILE)
def test_a_reason_is_kept_word_for_word(project: Project, reason: str) -> None:
    spec = "---\nstatus: completed\n---\n# x\n"
    folder = project.add(metadata(), spec=spec)
    _, entry = reopen(project.manager, "7", f"  {reason}\n", "ada")
    assert entry.reason == reason.strip()
    assert project.manager.read("7").reopens == (entry,)
    assert [event["reason"] for event in entries(folder)] == [reason.strip()]
    assert (folder / "spec.md").read_text() == "---\nstatus: active\n---\n# x\n"
    assert set(project.data()) - set(metadata()) == {"reopenHistory"}


@pytest.mark.parametrize(
    ("reason", "error_id"),
    [
        *((blank, "reason-missing") for blank in ("", " ", "\n\t ", "\u00a0")),
        ("x" * (LONGEST_REASON + 1), "reason-too-long"),
    ],
)
def test_a_blank_or_very_long_reason_is_refused(
    project: Project, reason: str, error_id: str
) -> None:
    project.add(metadata())
    before = tree(project.root)
    with pytest.raises(UsageError) as caught:
        reopen(project.manager, "7", reason, "ada")
    assert (caught.value.id, caught.value.exit_code) == (error_id, 2)
    assert tree(project.root) == before


def _history(*reverted: bool) -> list[dict[str, Any]]:
    entry = {"reopenedAt": STAMP, "reason": "r", "previousStatus": "completed", "reopenedBy": "a"}
    return [
        {**entry, "id": ulid(n), **({"revertedAt": STAMP} if undone else {})}
        for n, undone in enumerate(reverted)
    ]


@pytest.mark.parametrize(
    ("reverted", "threshold", "frequent"),
    [
        ((), 3, False),
        ((False, False), 3, False),
        ((False, False, False), 3, True),
        ((False, True, False), 3, False),
        ((False, True, False, False), 3, True),
        ((False,), 1, True),
        ((True,), 1, False),
    ],
)
def test_frequent_reopens_are_noticed_and_undone_ones_left_out(
    project: Project, reverted: tuple[bool, ...], threshold: int, *, frequent: bool
) -> None:
    project.add(metadata(reopenHistory=_history(*reverted)))
    assert project.manager.read("7").has_frequent_reopens(threshold) == frequent
    assert project.manager.read("7").effective_reopens == reverted.count(False)


@pytest.mark.parametrize("behind", [60, 86400])
def test_a_reopen_by_a_clock_that_is_behind_can_be_undone(project: Project, behind: int) -> None:
    project.add(metadata(status="active"))
    transition(project.manager, "7", Status.COMPLETED, by="ada")
    project.clock.advance(-behind)
    reopen(project.manager, "7", "why", "ada")
    undo(project.manager, "7", by="ada")
    assert project.data()["status"] == "completed"


def test_a_reopen_before_the_last_completion_cannot_be_undone(project: Project) -> None:
    project.add(metadata())
    reopen(project.manager, "7", "why", "ada")
    project.clock.advance()
    transition(project.manager, "7", Status.COMPLETED, by="ada")
    place = project.increments / "0007-search" / "metadata.json"
    place.write_text(place.read_text().replace('"completed"', '"active"', 1))
    with pytest.raises(StoreError, match="nothing-to-undo"):
        undo(project.manager, "7", by="ada")
