"""Fixtures of delivery: one linked item, its writing requests, held requests, clones."""

import json
import re
import shlex
import shutil
import subprocess
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from tests.cli.project import CLOSED, NAME, REASON, Done, Project
from tests.warm.client import unlatch

from unlatch.increments.records.reopens import spelled_out
from unlatch.spi.text import ops_in
from unlatch_sandbox import Fault

ALL = ("github", "ado", "jira")
RESUME = ("resume", "7", "--reason", REASON, "--yes")
UNDO = ("undo", "7", "--yes")
SYNC = ("sync", "7", "--yes")
# A tracker that asks to wait is not waited for.
AT_ONCE = ("--max-wait", "0")
LOCKED = {"message": "Unable to create comment because issue is locked."}

_ADO = {"method": "PATCH", "path": "(?i)/workitems/101"}
_JIRA_EDIT = {"method": "PUT", "path": "/issue/SCRUM-28"}
# The request that writes each part. Azure DevOps takes all parts in one, Jira the last two.
WRITES: Mapping[str, Mapping[str, Mapping[str, Any]]] = {
    "github": {
        "state": {"method": "PATCH", "path": "/issues/4$"},
        "comment": {"method": "POST", "path": "/issues/4/comments$"},
        "label added": {"method": "POST", "path": "/issues/4/labels$"},
        "label removed": {"method": "DELETE", "path": "/issues/4/labels/"},
    },
    "ado": {"state": _ADO, "comment": _ADO, "label added": _ADO},
    "jira": {
        "state": {"method": "POST", "path": "/transitions"},
        "comment": _JIRA_EDIT,
        "label added": _JIRA_EDIT,
    },
}


def fault(tracker: str, part: str, kind: str, **options: Any) -> Fault:
    """A fault of the request that writes one part of the tracker's item."""
    return Fault(tracker, kind, **{**WRITES[tracker][part], **options})


def completed_on(project: Project, *trackers: str) -> Project:
    """0007-smart-discipline, completed, with a closed item on each of these trackers."""
    project.increment(links=project.items(*trackers))
    return project


def active_on(project: Project, *trackers: str) -> Project:
    """0007-smart-discipline, active, with an open item on each, and both sides in sync.

    The first act in a project: it begins with these items alone.
    """

    def build(project: Project) -> None:
        project.increment(status="active", links=project.items(*trackers, finished=False))
        assert project.run("sync", "--yes").code == 0

    project.enter(f"active on {trackers}", build)
    return project


def reopened_on(project: Project, *trackers: str) -> Project:
    """0007-smart-discipline, resumed, with a reopened item on each; the first act, too."""

    def build(project: Project) -> None:
        assert completed_on(project, *trackers).run(*RESUME).code == 0

    project.enter(f"reopened on {trackers}", build)
    return project


def add_issue(project: Project, name: str, *, status: str = "completed") -> int:
    """A further increment with an issue of its own; the issue's number."""
    is_open = status == "active"
    number = project.box.github.add_issue(title=name, state="open" if is_open else "closed")
    url = f"{project.box.github.web_url}/octo/widgets/issues/{number}"
    project.increment(name, status=status, links={"github": {"issue": number, "url": url}})
    return number


BATCH = ("0001-one", "0002-two", "0003-three", "0004-four")
BATCH_ITEMS = range(201, 205)


def add_batch(project: Project) -> None:
    """Four completed increments with a closed work item each, which one request changes."""
    for number, name in zip(BATCH_ITEMS, BATCH, strict=True):
        project.box.ado.add_work_item(id=number, title=name, state="Closed")
        url = f"{project.box.ado.web_url}/widgets/_workitems/edit/{number}"
        project.increment(name, links={"ado": {"workItemId": number, "url": url}})


def configure_more_repositories(project: Project, *names: str) -> None:
    """Let items be in further repositories, too."""
    home = 'repository = "octo/widgets"'
    more = ", ".join(f'"{name}"' for name in names)
    project.configure(project.box.config().replace(home, f"{home}\nrepositories = [{more}]"))


def transfer(project: Project) -> str:
    """Move issue 4 to octo/gadgets, which is configured, too; its URL there."""
    project.box.github.add_repository("octo/gadgets")
    configure_more_repositories(project, "octo/gadgets")
    number = project.box.github.transfer_issue("octo/widgets", 4, "octo/gadgets")
    return f"{project.box.github.web_url}/octo/gadgets/issues/{number}"


def settle(project: Project, seconds: float | None) -> None:
    """Set how long a write may still take effect; None for the trackers' defaults."""
    config = project.box.config().replace("settle = 0\n", "")
    top = "" if seconds is None else f"settle = {seconds}\n"
    project.configure(f"patience = 30\n{top}{config}")


def local_waits(project: Project) -> list[Path]:
    """The notes of this machine about trackers that asked to wait."""
    return [*(project.home / "state" / "unlatch" / "requests").glob("wait-*.json")]


def end_waits(project: Project) -> None:
    """Let the times come for which trackers asked this machine to wait."""
    for note in local_waits(project):
        note.unlink()


def sync_until_done(project: Project, *, most: int = 3) -> Done:
    """Run `unlatch sync 7` until nothing is pending; the last run."""
    done = project.run(*SYNC)
    for _ in range(most - 1):
        if done.code != 3:
            break
        done = project.run(*SYNC)
    return done


def next_command(done: Done) -> tuple[str, ...]:
    """The arguments of the command that is named after `Next:`."""
    found = re.search(r"Next: unlatch (\S.*?)(?: \(|[;.]?$)", done.said, re.MULTILINE)
    assert found is not None, done.said
    return tuple(shlex.split(found[1]))


def count_markers(project: Project) -> Counter[tuple[str, str]]:
    """By tracker and operation: how many comments carry the operation's marker."""
    return Counter(
        (tracker, op)
        for tracker, comments in project.comments().items()
        for text in comments
        for op in ops_in(text)
    )


def assert_each_comment_once(project: Project) -> None:
    doubled = {key: count for key, count in count_markers(project).items() if count > 1}
    assert {} == doubled


def edit_metadata(project: Project, change: Callable[[dict[str, Any]], None]) -> None:
    """Edit metadata.json as another tool or another machine would."""
    data = project.metadata()
    change(data)
    (project.folder() / "metadata.json").write_text(json.dumps(data, indent=2) + "\n")


def set_clock_ahead(project: Project, ahead: timedelta) -> None:
    """Let the intents look as if a machine with such a clock had recorded them."""
    then = (datetime.now(UTC) + ahead).strftime("%Y-%m-%dT%H:%M:%SZ")

    def change(data: dict[str, Any]) -> None:
        for operation in data["pending"]:
            operation["at"] = then
        for entry in data.get("reopenHistory", []):
            entry["reopenedAt"] = then

    edit_metadata(project, change)


def clone(project: Project, root: Path) -> Project:
    """A copy of the project without local state, and with another home."""
    shutil.copytree(project.root, root, ignore=shutil.ignore_patterns("local"))
    home = root.with_name(f"{root.name}-home")
    shutil.copytree(project.home, home)
    return replace(project, root=root, home=home, extra=dict(project.extra))


# By tracker: the token's account, and another one.
OURS = {"github": "octocat", "ado": "Octo Cat", "jira": "Octo Cat"}
OTHERS = {"github": "mona", "ado": "A Person", "jira": "A Person"}


def move(project: Project, tracker: str, state: str, by: str) -> None:
    """Give an item another state on its tracker."""
    if tracker == "github":
        project.box.github.edit("octo/widgets", 4, state=state, by=by)
    elif tracker == "ado":
        project.box.ado.edit(101, state=state, by=by)
    else:
        project.box.jira.edit("SCRUM-28", status=state, by=by)


def closed_by_hand(project: Project, tracker: str) -> Project:
    """An item that a person closed, so that its history shows it."""
    project.items(tracker, finished=False)
    move(project, tracker, CLOSED[tracker], OTHERS[tracker])
    return project


def as_bot(project: Project) -> Project:
    """The project with the credentials of another account."""
    box = project.box
    project.extra |= {
        "GITHUB_TOKEN": box.github.bot_token,
        "AZURE_DEVOPS_EXT_PAT": box.ado.bot_token,
        "JIRA_EMAIL": box.jira.bot_email,
        "JIRA_API_TOKEN": box.jira.bot_token,
    }
    return project


def start(project: Project, *arguments: str) -> subprocess.Popen[str]:
    """Start unlatch as a process of its own, and do not wait for it."""
    return subprocess.Popen(
        [*unlatch(project.environ), *arguments],
        cwd=project.root,
        env=project.environ,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def delivered_events(project: Project, kind: str) -> list[dict[str, Any]]:
    """The events of delivered operations of a kind."""
    wanted = ("delivered", kind)
    return [event for event in project.events() if wanted == (event["event"], event.get("kind"))]


def reached(project: Project, tracker: str, name: str = NAME) -> dict[str, Any] | None:
    """The last reopen's entry for the tracker's item; None if it was not delivered there."""
    block = project.metadata(name)["reopenHistory"][-1]["syncedTo"].get(tracker)
    if block is None:
        return None
    entry: dict[str, Any] = spelled_out((block.get("items") or [block])[0])
    return entry


@dataclass
class Held:
    """The action of a `human` fault: holds a request until it is released."""

    arrived: threading.Event = field(default_factory=threading.Event)
    released: threading.Event = field(default_factory=threading.Event)

    def __call__(self) -> None:
        self.arrived.set()
        self.released.wait(60)


def await_request(process: subprocess.Popen[str], arrived: threading.Event) -> None:
    """Wait for a process's request; fails with its output if it ends without one."""
    while not arrived.wait(0.1):
        assert process.poll() is None, process.stdout and process.stdout.read()


def kill_when_held(process: subprocess.Popen[str], held: Held) -> None:
    """Kill a process whose request is held, then let the request go on."""
    try:
        await_request(process, held.arrived)
    finally:
        process.kill()
        process.communicate(timeout=30)
        held.released.set()
