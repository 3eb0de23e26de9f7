"""Promises at the sizes that users meet: a thousand items, three processes on one token."""

import json
import shutil
import sqlite3
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from tests.cli.project import NAME, REASON, Project
from tests.transport.faulty import SILENCE, Faulty

from unlatch.transport import TransportOptions
from unlatch.transport.rate_limits import Pace
from unlatch.worklog.ids import new_ulid
from unlatch_sandbox import Fault

MANY = 1000
AGREED = ("--max-items", str(MANY), "--yes")
# By tracker: how links and addresses name an item.
FIRST = {"github": "issues/4", "ado": "edit/101", "jira": "SCRUM-28"}
# By tracker: where requests name the items 1, 2 and 3.
GONE = {
    "github": r"/issues/[123]($|[/?])",
    "ado": r"(?i)/workitems/[123]($|[/?])",
    "jira": r"/issue/SCRUM-[123]($|[/?])",
}


def recorded(project: Project, tracker: str, count: int) -> list[Path]:
    """So many increments with a pending reopen each: one was recorded, the others are copies."""
    project.increment(links=project.items(tracker))
    assert project.run("resume", "7", "--reason", REASON, "--yes", "--offline").code == 0
    original = project.folder()
    op, text = project.metadata()["pending"][0]["op"], (original / "metadata.json").read_text()
    folders = []
    for number in range(1, count + 1):
        folder = project.increments / f"{number:04d}-some-work"
        shutil.copytree(original, folder)
        content = text.replace(op, new_ulid()).replace(NAME, folder.name)
        (folder / "metadata.json").write_text(_about(content, tracker, number))
        folders.append(folder)
    shutil.rmtree(original)
    project.box.requests.clear()
    return folders


def _about(text: str, tracker: str, number: int) -> str:
    """The content of metadata.json with another item."""
    first = FIRST[tracker]
    text = text.replace(first, f"{first.rstrip('0123456789')}{number}")
    keys = {"github": ("issue", 4), "ado": ("workItemId", 101)}
    if tracker in keys:
        key, old = keys[tracker]
        text = text.replace(f'"{key}": {old}', f'"{key}": {number}')
    return text


def add_items(project: Project, tracker: str, count: int) -> None:
    box = project.box
    with box.github.hub.store.transaction():
        for number in range(1, count + 1):
            if tracker == "github":
                box.github.add_issue(
                    number=number, title="x", state="closed", state_reason="completed"
                )
            elif tracker == "ado":
                box.ado.add_work_item(id=number, title="x", state="Closed")
            else:
                box.jira.add_issue(f"SCRUM-{number}", summary="x", status="Done")


def left(folders: Sequence[Path]) -> list[dict[str, Any]]:
    """The pending operations."""
    contents = (json.loads((folder / "metadata.json").read_text()) for folder in folders)
    return [one for content in contents for one in content.get("pending", [])]


@pytest.mark.sweep
@pytest.mark.parametrize("tracker", FIRST)
def test_of_a_thousand_items_three_are_gone_and_the_others_are_served(
    project: Project, tracker: str
) -> None:
    # GitHub's own limit would leave half of them for the next hour.
    pace = Pace(limits=((MANY, 1.0),), apart=0.0, free=5)
    project.monkeypatch.setattr("unlatch_github.plugin._PACE", pace)
    folders = recorded(project, tracker, MANY)
    project.box.reset()
    add_items(project, tracker, MANY)
    project.box.faults.add(Fault(tracker, "status", path=GONE[tracker], code=404, times=MANY))

    done = project.run("sync", *AGREED)

    assert (3, 3) == (done.code, len(left(folders))), done.said[-2000:]
    project.box.faults.clear()
    assert Counter({1: MANY - 3, 0: 3}) == Counter(comments(project, tracker)), done.said[-2000:]


def comments(project: Project, tracker: str) -> list[int]:
    """How many comments each item has."""
    return [len(_comments(project, tracker, number)) for number in range(1, MANY + 1)]


def _comments(project: Project, tracker: str, number: int) -> list[Any]:
    box = project.box
    if tracker == "github":
        return box.github.comments("octo/widgets", number)
    return box.ado.comments(number) if tracker == "ado" else box.jira.comments(f"SCRUM-{number}")


@pytest.mark.sweep
@pytest.mark.parametrize("tracker", FIRST)
def test_a_sync_of_a_thousand_items_ends_soon_where_the_tracker_never_answers(
    project: Project, tracker: str
) -> None:
    folders = recorded(project, tracker, MANY)
    box, files = project.box, [project.root / ".unlatch" / "config.toml"]
    place = {"github": box.github.web_url, "ado": box.ado.web_url, "jira": box.jira.site}
    home = urlsplit(place[tracker])._replace(path="").geturl()
    with Faulty(otherwise=SILENCE) as server:
        for file in (*files, *project.increments.rglob("metadata.json")):
            file.write_text(file.read_text().replace(home, server.url))
        project.configure(f"request_timeout = 0.3\n{files[0].read_text()}")
        host = server.url.removeprefix("http://")
        project.extra["UNLATCH_TRUSTED_HOSTS"] = f"{tracker}={host}"

        done = project.run("sync", *AGREED)

        asked = len(server.requests)
    assert (3, MANY) == (done.code, len(left(folders))), done.said[-2000:]
    assert 0 < asked <= 5
    assert sum("attempt" in one for one in left(folders)) <= asked
    # One after the other, each until the tracker was silent for too long: the command's whole wait.
    usual = TransportOptions()
    assert asked * usual.timeouts[1] <= 2 * usual.deadline
    assert f"{MANY - 3} more items likewise" in done.out


# A process with other limits than the published ones, which are GitHub's for an account.
RUN = """
import sys
from unlatch.transport.rate_limits import Pace
from unlatch_github import plugin
plugin._PACE = Pace(limits=(({most}, {seconds}), (500, 3600.0)), apart=0.0, free=5)
from unlatch.cli.main import run
sys.exit(run(sys.argv[1:]))
"""


@pytest.mark.real_waits
@pytest.mark.parametrize(
    ("count", "most", "seconds"),
    [(4, 4, 1.5), pytest.param(35, 80, 60.0, marks=pytest.mark.sweep)],
    ids=["scaled", "published"],
)
def test_three_processes_on_one_token_stay_within_the_limit(
    project: Project, tmp_path: Path, count: int, most: int, seconds: float
) -> None:
    folders = recorded(project, "github", 3 * count)
    project.box.reset()
    add_items(project, "github", 3 * count)
    checkouts = [replace(project, root=tmp_path / f"checkout {n}") for n in range(3)]
    for place, checkout in enumerate(checkouts):
        shutil.copytree(project.root, checkout.root)
        for folder in folders[: place * count] + folders[(place + 1) * count :]:
            shutil.rmtree(checkout.folder(folder.name))

    code = RUN.format(most=most, seconds=seconds)
    command = [sys.executable, "-c", code, "--max-wait", "600", "sync", *AGREED]
    running = [
        subprocess.Popen(
            command,
            cwd=one.root,
            env=one.environ,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        for one in checkouts
    ]
    said = [process.communicate(timeout=300)[0] for process in running]

    assert [0, 0, 0] == [process.returncode for process in running], said
    reserved, arrived = reservations(project), posted(project)
    assert 3 * count == len(arrived) == len(reserved)
    spans = [late - early for early, late in zip(reserved, reserved[most:], strict=False)]
    assert all(span >= seconds for span in spans), spans
    # Each comment left when its turn had come, however busy the machine.
    assert all(turn <= at for turn, at in zip(reserved, arrived, strict=True))


def reservations(project: Project) -> list[float]:
    """The moments at which a comment was allowed, in seconds since the epoch."""
    file = project.home / "state" / "unlatch" / "requests" / "requests.sqlite"
    with closing(sqlite3.connect(file)) as database:
        return sorted(moment for (moment,) in database.execute("SELECT moment FROM requests"))


def posted(project: Project) -> list[float]:
    """When the comments arrived."""
    entries = project.box.requests.entries("github")
    posts = (one for one in entries if one.method == "POST" and one.path.endswith("/comments"))
    return sorted(one.at.timestamp() for one in posts)
