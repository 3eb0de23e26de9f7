"""`unlatch report` against counts that the test makes itself."""

import json
import os
import random
import shutil
from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.cli.output.test_documents import check
from tests.cli.project import ALL, NAME, REASON, Project, stamp
from tests.cli.terminal import Terminal

CORPUS = os.environ.get("UNLATCH_CORPUS")
DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
BEGIN = datetime(2025, 1, 1, tzinfo=UTC)
SYNCED = {
    "github": {"issueNumber": 4, "issueUrl": "https://github.com/octo/widgets/issues/4"},
    "jira": {"issueKey": "SCRUM-28", "issueUrl": "https://acme.atlassian.net/browse/SCRUM-28"},
}


def generate(project: Project, seed: int, number: int = 40) -> None:
    """Write increments with random reopens, each reopened after a completion."""
    drawn = random.Random(seed)
    for place in range(number):
        at, history = BEGIN + timedelta(days=drawn.randrange(200)), []
        for _ in range(drawn.choice((0, 0, 0, 1, 1, 2, 4))):
            completed, at = at, at + timedelta(minutes=drawn.randrange(1, 40_000))
            trackers = drawn.sample(sorted(SYNCED), drawn.randrange(3))
            history.append(
                {
                    "id": "01JC" + "".join(drawn.choices(DIGITS, k=22)),
                    "reopenedAt": stamp(at),
                    "reason": "More <b>turned</b> up",
                    "previousStatus": "completed",
                    "previousCompletedAt": stamp(completed),
                    "reopenedBy": "Ada",
                    **(
                        {"category": drawn.choice(["bug", "scope"])} if drawn.random() < 0.7 else {}
                    ),
                    **({"revertedAt": stamp(at)} if drawn.random() < 0.1 else {}),
                    "syncedTo": {one: SYNCED[one] for one in trackers},
                }
            )
            at += timedelta(minutes=drawn.randrange(1, 20_000))
        is_active = bool(history) and drawn.random() < 0.3
        more: dict[str, Any] = {} if is_active else {"completedAt": stamp(at)}
        status = "active" if is_active else "completed"
        project.increment(f"{place:04}-made", status=status, reopenHistory=history, **more)


def percentile(values: Iterable[float], share: float) -> float:
    """By linear interpolation between the two nearest ranks."""
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def read_all(folder: Path) -> dict[str, dict[str, Any]]:
    found = {}
    for path in sorted(folder.glob("*/metadata.json")):
        found[path.parent.name] = json.loads(path.read_text())
    return found


def moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


@pytest.mark.parametrize(
    "seed", [1, *(pytest.param(seed, marks=pytest.mark.sweep) for seed in (2, 3))]
)
def test_the_figures_are_those_of_an_independent_count(project: Project, seed: int) -> None:
    generate(project, seed)
    document = check(project, "report", "report")

    files = read_all(project.increments)
    entries = [
        (name, one)
        for name, data in files.items()
        for one in data["reopenHistory"]
        if "revertedAt" not in one
    ]
    heads = Counter(name for name, _ in entries)
    waits = [
        (moment(one["reopenedAt"]) - moment(one["previousCompletedAt"])).total_seconds()
        for _, one in entries
    ]
    again = []
    for data in files.values():
        history = data["reopenHistory"]
        ends = [*(one["previousCompletedAt"] for one in history), data.get("completedAt")][1:]
        again += [
            (moment(end) - moment(one["reopenedAt"])).total_seconds()
            for one, end in zip(history, ends, strict=True)
            if end and "revertedAt" not in one
        ]
    assert document["reopens"] == len(entries)
    assert document["reopened"] == len(heads)
    assert document["completed"] == len(files)
    assert document["reopenRate"] == pytest.approx(len(heads) / len(files), abs=1e-4)
    assert document["overGoal"] == sorted(
        (name for name, count in heads.items() if count >= 3), key=lambda name: (-heads[name], name)
    )
    months = Counter(one["reopenedAt"][:7] for _, one in entries)
    assert {name: count for name, count in document["byMonth"].items() if count} == months
    assert list(document["byMonth"]) == sorted(document["byMonth"])
    for key, counts in (
        ("category", Counter(one.get("category") for _, one in entries)),
        ("tracker", Counter(x for _, one in entries for x in one["syncedTo"] or [None])),
    ):
        listed = document[f"by{key.title()}"]
        assert {one[key]: one["reopens"] for one in listed} == counts
    for key, values in (("secondsToReopen", waits), ("secondsToCompletion", again)):
        assert document[key] == {
            "count": len(values),
            "least": min(values),
            "median": pytest.approx(percentile(values, 0.5)),
            "p90": pytest.approx(percentile(values, 0.9)),
            "most": max(values),
        }
    often = [(one["id"], one["reopens"]) for one in document["mostReopened"]]
    assert often == sorted(heads.items(), key=lambda pair: (-pair[1], pair[0]))


def test_a_period_takes_only_its_reopens(project: Project) -> None:
    generate(project, 4)
    since, until = "2025-04-01", "2025-06-30"
    document = check(project, "report", "report", "--since", since, "--until", until)
    found = [one for data in read_all(project.increments).values() for one in data["reopenHistory"]]
    days = [one["reopenedAt"][:10] for one in found if "revertedAt" not in one]
    assert document["reopens"] == len([day for day in days if since <= day <= until]) > 0
    assert set(document["byMonth"]) <= {"2025-04", "2025-05", "2025-06"}


@pytest.mark.skipif(not CORPUS, reason="UNLATCH_CORPUS names no real increments")
def test_real_increments_are_counted(project: Project) -> None:
    (home,) = Path(CORPUS or "").rglob(".specweave")
    shutil.rmtree(project.root / ".unlatch")
    shutil.copytree(home, project.root / ".specweave", copy_function=shutil.copyfile)

    document = check(project, "report", "report")

    files = [
        json.loads(path.read_text("utf-8-sig"))
        for path in (project.root / ".specweave" / "increments").rglob("metadata.json")
    ]
    entries = [one for data in files for one in data.get("reopenHistory", [])]
    completed = [one for one in files if one.get("status") == "completed"]
    assert document["reopens"] == len(entries)
    assert document["completed"] >= len(completed) > 0
    assert document["increments"] >= len(files)


def test_pending_and_drifting_items_are_listed(completed: Project) -> None:
    assert completed.run("sync", "--yes").code == 0
    assert completed.run("resume", "7", "--yes", "--reason", REASON, "--offline").code == 0

    document = check(completed, "report", "report")
    assert sorted(one["tracker"] for one in document["pending"]) == sorted(ALL)
    assert (document["blocked"], document["drift"], document["links"]) == (0, [], 3)
    assert document["notCompared"] == 0

    assert completed.run("sync", "--yes").code == 0
    assert completed.run("pause", "7", "--reason", "Later").code == 0
    data = completed.metadata()
    data["status"] = "completed"
    (completed.folder() / "metadata.json").write_text(json.dumps(data))
    document = check(completed, "report", "report")
    assert [one["tracker"] for one in document["drift"]] == ["github", "ado", "jira"]
    assert {one["here"] for one in document["drift"]} == {"completed"}


def test_online_the_items_are_read_and_a_silent_tracker_is_told(completed: Project) -> None:
    assert completed.run("sync", "--yes").code == 0
    completed.box.github.edit("octo/widgets", 4, state="open")
    assert check(completed, "report", "report")["drift"] == []
    document = check(completed, "report", "report", "--online")
    (found,) = document["drift"]
    assert (found["tracker"], found["there"]) == ("github", "open")
    assert document["online"] is True
    completed.extra["GITHUB_TOKEN"] = None
    completed.run("report", "--online").ends(5, out="1 not read")


def test_without_increments_the_report_is_empty(project: Project) -> None:
    document = check(project, "report", "report")
    assert (document["reopens"], document["reopenRate"]) == (0, None)
    assert project.run("report").out.startswith("0 reopens of 0 increments\n")


@pytest.mark.parametrize("columns", [60, 100, 200])
def test_the_report_fits_the_terminal(project: Project, columns: int) -> None:
    generate(project, 5, number=25)
    project.increment(
        NAME, links={"github": {"issue": 4, "url": "https://github.com/octo/widgets/issues/4"}}
    )
    with Terminal(project, "report", columns=columns, extra={"PAGER": "cat"}) as terminal:
        assert terminal.end() == 0
    lines = terminal.text.splitlines()
    assert [line for line in lines if len(line) > columns] == []
    bars = [line.count("█") for line in lines]
    assert max(bars) == {60: 20, 100: 33, 200: 50}[columns]
    for heading in ("Month", "Category", "Tracker", "Most reopened"):
        assert any(line.startswith(heading) for line in lines)


def test_the_transcript(project: Project) -> None:
    generate(project, 6, number=8)
    assert project.run("report").out == EXPECTED


EXPECTED = """\
11 reopens of 5 increments; 2 undone
Reopen rate: 62.5% (5 of 8 completed increments)
Goal: fewer than 3 reopens of each increment: missed by 2 increments
From completion to reopen: median 15.7 days, 90% within 23.4 days
From reopen to completion: median 2.4 days, 90% within 6.7 days
Pending operations: 0

Month    Reopens
2025-01  1        ███████████
2025-02  2        ██████████████████████
2025-03  2        ██████████████████████
2025-04  0
2025-05  1        ███████████
2025-06  2        ██████████████████████
2025-07  3        █████████████████████████████████

Category  Reopens
bug       7        █████████████████████████████████
scope     3        ██████████████
(none)    1        █████

Tracker  Reopens
jira     8        █████████████████████████████████
github   7        █████████████████████████████
(none)   2        ████████

Most reopened  Reopens  Title
0000-made      4        Made
0007-made      3        Made
0002-made      2        Made
0001-made      1        Made
0006-made      1        Made
"""
