"""A stage for processes that die: a sandbox in a process of its own, and one project a case."""

import json
import os
import shutil
import signal
import tempfile
from collections import Counter
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self
from unittest.mock import patch

import requests

from unlatch.spi.text import ops_in
from unlatch.worklog.disk.user_files import state_folder
from unlatch_sandbox import Sandbox, serve

INCREMENT = "0007-smart-discipline"
REASON = "Bug discovered: `-->` $& @all"
# What is only read by these, although it is posted.
_READING = ("/graphql", "/bulkfetch", "/workitemsbatch", "/wiql")


@dataclass(frozen=True)
class Case:
    """A project with one completed increment, and its three closed items.

    Args:
        root: the project's folder.
        github: the issue's number.
        ado: the work item's id.
        jira: the issue's key.
        increment: the increment's id.
    """

    root: Path
    github: int
    ado: int
    jira: str
    increment: str = INCREMENT

    @property
    def folder(self) -> Path:
        """The increment's folder."""
        return self.root / ".unlatch" / "increments" / self.increment

    @property
    def metadata(self) -> dict[str, Any]:
        """The content of metadata.json; fails if it is not JSON."""
        found: dict[str, Any] = json.loads((self.folder / "metadata.json").read_bytes())
        return found


def own_state(folder: Path) -> AbstractContextManager[object]:
    """Keep the caches of projects apart from the developer's."""
    return patch.dict(os.environ, XDG_STATE_HOME=str(folder))


def _start_sandbox(stack: ExitStack) -> Any:
    """Serve a sandbox in a fork of this process, which has loaded it; what its clients need."""
    reader, writer = os.pipe()
    if (child := os.fork()) == 0:
        try:
            with Sandbox() as box, os.fdopen(writer, "w") as told:
                needs = {"console": box.console_url, "config": box.config(), "env": box.environ()}
                print(json.dumps(needs), file=told, flush=True)
                serve(box)
        finally:
            os._exit(1)
    os.close(writer)
    stack.callback(os.waitpid, child, 0)
    stack.callback(os.kill, child, signal.SIGTERM)
    with os.fdopen(reader) as told:
        return json.loads(told.readline())


class Stage:
    """The sandbox, reached over HTTP alone, and a folder for the cases' projects."""

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            self.folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            stack.enter_context(own_state(self.folder / "state"))
            told = _start_sandbox(stack)
            self.environ: dict[str, str] = {**os.environ, **told["env"]}
            self._console, self._config = told["console"], told["config"]
            self._http = stack.enter_context(requests.Session())
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def case(self, name: str, *, increment: str = INCREMENT) -> Case:
        """A new project, or one more increment in it, with three new closed items."""
        github = self.call("github", "add_issue", title="T", state="closed", labels=["completed"])
        ado = self.call("ado", "add_work_item", title="T", state="Closed", tags=["completed"])
        jira = self.call("jira", "add_issue", summary="T", status="Done", labels=["completed"])
        case = Case(self.folder / name, github, ado, jira, increment)
        folder = case.folder
        folder.mkdir(parents=True)
        (case.root / ".unlatch" / "config.toml").write_text(self._config)
        (folder / "spec.md").write_text("---\ntitle: Smart discipline\nstatus: completed\n---\n")
        (folder / "metadata.json").write_text(json.dumps(self._metadata(case), indent=2))
        return case

    def _metadata(self, case: Case) -> dict[str, Any]:
        item = self.call("github", "issue", repository="octo/widgets", number=case.github)
        ado = self.call("ado", "work_item", id=case.ado)
        site = self.call("jira", "issue", key=case.jira)["self"].partition("/rest/")[0]
        organization = ado["url"].partition("/fabrikam/")[0] + "/fabrikam"
        place = f"{organization}/widgets/_workitems/edit/{case.ado}"
        return {
            "id": case.increment,
            "status": "completed",
            "type": "feature",
            "created": "2025-11-01T09:00:00Z",
            "completedAt": "2025-11-04T09:00:00Z",
            "lastActivity": "2025-11-04T09:00:00Z",
            "github": {"issue": case.github, "url": item["html_url"]},
            "ado": {"workItemId": case.ado, "url": place},
            "jira": {"issueKey": case.jira, "url": f"{site}/browse/{case.jira}"},
        }

    def call(self, tracker: str, function: str, **arguments: Any) -> Any:
        """Call a function of the sandbox's faces, over the console."""
        answer = self._http.post(
            f"{self._console}/api/{tracker}/{function}", json=arguments, timeout=30
        )
        assert answer.ok, answer.text
        return answer.json()["result"]

    def reset(self) -> None:
        """Begin again with empty trackers and no faults."""
        self._http.post(f"{self._console}/api/reset", json={}, timeout=30).raise_for_status()

    def fault(self, **fault: Any) -> None:
        """Let something go wrong."""
        answer = self._http.post(f"{self._console}/api/faults", json=fault, timeout=30)
        assert answer.ok, answer.text

    def calm(self) -> None:
        """Let nothing go wrong any more."""
        url = f"{self._console}/api/faults"
        self._http.delete(url, json={}, timeout=30).raise_for_status()

    def views(self) -> dict[str, dict[str, Any]]:
        """The pages of the items, one on each tracker."""
        return {view["tracker"]: view for view in self.pages().values()}

    def pages(self) -> dict[str, dict[str, Any]]:
        """The pages of all items, by address."""
        answer = self._http.get(f"{self._console}/api/items", timeout=30)
        return {view["url"]: view for view in answer.json()}

    def writes(self) -> list[str]:
        """The requests since the last look that changed something."""
        url = f"{self._console}/api/requests"
        sent = self._http.get(url, timeout=30).json()
        self._http.delete(url, json={}, timeout=30).raise_for_status()
        return [
            f"{one['method']} {one['path']}"
            for one in sent
            if one["method"] not in ("GET", "HEAD", "OPTIONS")
            and not one["path"].lower().endswith(_READING)
        ]

    def marked(self, case: Case) -> dict[str, Counter[str]]:
        """How many comments on each item carry the marker of each operation."""
        comments = {
            "github": self.call(
                "github", "comments", repository="octo/widgets", number=case.github
            ),
            "ado": self.call("ado", "comments", id=case.ado),
            "jira": self.call("jira", "comments", key=case.jira),
        }
        return {
            tracker: Counter(op for one in found for op in ops_in(json.dumps(one)))
            for tracker, found in comments.items()
        }

    def open_items(self, case: Case) -> dict[str, bool]:
        """Which items are open."""
        issue = self.call("github", "issue", repository="octo/widgets", number=case.github)
        work_item = self.call("ado", "work_item", id=case.ado)["fields"]["System.State"]
        task = self.call("jira", "issue", key=case.jira)["fields"]["status"]
        return {
            "github": issue["state"] == "open",
            "ado": work_item not in ("Closed", "Removed"),
            "jira": task["statusCategory"]["key"] != "done",
        }

    def problems(self, case: Case) -> list[str]:
        """Everything that is not as it should be after a reopen that got through."""
        issue = self.call("github", "issue", repository="octo/widgets", number=case.github)
        comments = self.call("github", "comments", repository="octo/widgets", number=case.github)
        work_item = self.call("ado", "work_item", id=case.ado)
        told = self.call("ado", "comments", id=case.ado)
        task = self.call("jira", "issue", key=case.jira)["fields"]
        said = self.call("jira", "comments", key=case.jira)
        metadata = case.metadata
        history = metadata.get("reopenHistory", [])
        synced = history[0]["syncedTo"] if history else {}
        facts = {
            "status": (metadata["status"], "active"),
            "spec": ("status: active" in self._spec(case), True),
            "reopens": (len(history), 1),
            "reason": (history and history[0]["reason"], REASON),
            "pending": (metadata.get("pending", []), []),
            "synced": (sorted(synced), ["ado", "github", "jira"]),
            "github": (issue["state"], "open"),
            "github comments": (len(comments), 1),
            "github labels": ([label["name"] for label in issue["labels"]], ["reopened"]),
            "ado": (work_item["fields"]["System.State"], "Active"),
            "ado comments": (len(told), 1),
            "ado tags": (work_item["fields"].get("System.Tags"), "reopened"),
            "jira": (task["status"]["statusCategory"]["key"], "indeterminate"),
            "jira comments": (len(said), 1),
            "jira labels": (task["labels"], ["reopened"]),
            "stray files": (self._strays(case), []),
        }
        return [f"{name}: {got!r}" for name, (got, wanted) in facts.items() if got != wanted]

    def _spec(self, case: Case) -> str:
        return (case.folder / "spec.md").read_text()

    def _strays(self, case: Case) -> list[str]:
        folder = case.folder
        known = {"metadata.json", "spec.md", "events.jsonl"}
        return sorted(path.name for path in folder.iterdir() if path.name not in known)

    def forget_local(self, case: Case) -> None:
        """Delete local state."""
        shutil.rmtree(state_folder(case.root))
