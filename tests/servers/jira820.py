"""PyPI `jira820` 0.12.0 as Jira Data Center 8.20: project SCRUM, empty until issues are made.

Measured differences from Jira, so that no test takes them for Jira's behaviour:

- There is no authentication at all: any token or none is the user admin.
- PUT issue reads `fields` only: `update` (labels, comment) is dropped with a 204. Labels change
  by `fields.labels`, as a whole set.
- GET issue ignores `expand=transitions`; /transitions has them. Required fields of a transition
  screen are shown by `expand=transitions.fields` and not enforced.
- POST transitions applies `fields.resolution`, `fields.assignee`, `update.comment` and
  `update.worklog`, and drops the rest. It clears the resolution on leaving a done status, where
  Jira leaves that to the workflow.
- GET comment lists newest first (but oldest first within one second) despite `orderBy`, 50
  a page, and for an unknown issue answers 200 with none; `fields=comment` gives none, and one
  comment by id can't be read (405). Properties and visibility are dropped, an empty body is taken.
- Dates stay at the day the server started; comments have the real time of day, as local time
  under a +0000. TZ=UTC makes that true.
- Only /rest/api/2: no 3, no latest, no properties, no POST search. Keys are case-sensitive and
  numeric ids unknown. Any project key is answered with the one project.
"""

import importlib.util
import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from typing import Any

import requests
from tests.servers.process import Command, Unavailable, free_session, running

PROJECT = "SCRUM"
TOKEN = "any-token-does"
SECONDS = 10.0

# JSON is YAML. Without issues of its own the server numbers from SCRUM-1. The workflow refuses
# some moves (400), which the server's default, everything to everything, never does.
CONFIG: Mapping[str, Any] = {
    "project_key": PROJECT,
    "project_name": "Widgets",
    "epics_per_module": 0,
    "standalone_per_module": 0,
    "history_per_module": 0,
    "statuses": [
        ["To Do", "todo", "10000"],
        ["In Progress", "inprogress", "3"],
        ["In Review", "inprogress", "10001"],
        ["Done", "done", "10002"],
    ],
    "transition_scheme": {
        "To Do": ["In Progress", "Done"],
        "In Progress": ["To Do", "In Review", "Done"],
        "In Review": ["In Progress", "Done"],
        "Done": ["To Do", "In Progress"],
    },
    "transition_screens": {"Done": ["resolution?", "comment?"]},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Jira820:
    """A running server; the methods prepare issues and read their state, past any plugin."""

    url: str
    project: str = PROJECT
    token: str = TOKEN
    session: requests.Session = field(repr=False)

    def request(self, method: str, path: str, **arguments: Any) -> requests.Response:
        """`path` is relative to the API, such as /issue/SCRUM-1."""
        url = f"{self.url}/rest/api/2{path}"
        return self.session.request(method, url, timeout=SECONDS, **arguments)

    def open_issue(
        self,
        summary: str = "Smart discipline",
        *,
        issue_type: str = "Epic",
        labels: Sequence[str] = (),
    ) -> str:
        fields = {
            "project": {"key": self.project},
            "issuetype": {"name": issue_type},
            "summary": summary,
            "labels": [*labels],
        }
        response = self.request("POST", "/issue", json={"fields": fields})
        response.raise_for_status()
        return str(response.json()["key"])

    def done_issue(
        self,
        summary: str = "Smart discipline",
        *,
        issue_type: str = "Epic",
        labels: Sequence[str] = ("completed",),
    ) -> str:
        key = self.open_issue(summary, issue_type=issue_type, labels=labels)
        self.move(key, to="Done")
        return key

    def move(self, key: str, *, to: str) -> None:
        """Transition to the status named `to`; KeyError if the workflow has no such move here."""
        body = {"transition": {"id": self.transitions(key)[to]}}
        self.request("POST", f"/issue/{key}/transitions", json=body).raise_for_status()

    def transitions(self, key: str) -> dict[str, str]:
        """Transition ids by the name of the status that they lead to."""
        offered = self._read(f"/issue/{key}/transitions")["transitions"]
        return {one["to"]["name"]: one["id"] for one in offered}

    def fields(self, key: str) -> dict[str, Any]:
        answer: dict[str, Any] = self._read(f"/issue/{key}")["fields"]
        return answer

    def category(self, key: str) -> str:
        """`new`, `indeterminate` or `done`."""
        return str(self.fields(key)["status"]["statusCategory"]["key"])

    def resolution(self, key: str) -> str | None:
        resolution = self.fields(key)["resolution"]
        return None if resolution is None else str(resolution["name"])

    def labels(self, key: str) -> set[str]:
        return set(self.fields(key)["labels"])

    def comments(self, key: str) -> list[str]:
        """The bodies of up to a thousand comments, oldest first."""
        found = self._read(f"/issue/{key}/comment?maxResults=1000")["comments"]
        return [one["body"] for one in sorted(found, key=lambda one: int(one["id"]))]

    def _read(self, path: str) -> Any:
        response = self.request("GET", path)
        response.raise_for_status()
        return response.json()


@contextmanager
def jira820_server(folder: Path) -> Iterator[Jira820]:
    """Run the server with its config and log in `folder`; Unavailable if it can't be had."""
    if importlib.util.find_spec("jira820") is None:
        raise Unavailable("jira820 is not installed (pip install --group dev)")
    config = folder / "jira820.yaml"
    config.write_text(json.dumps(CONFIG), encoding="utf-8")

    def command(port: int) -> Command:
        own = {"JIRA820_CONFIG": str(config), "JIRA820_PORT": str(port), "TZ": "UTC"}
        return Command(argv=[sys.executable, "-m", "jira820"], env=_clean_environment() | own)

    def answers(url: str) -> bool:
        response = session.get(f"{url}/rest/api/2/project/{PROJECT}", timeout=SECONDS)
        return response.status_code == HTTPStatus.OK and response.json()["key"] == PROJECT

    with free_session() as session:
        session.headers["Authorization"] = f"Bearer {TOKEN}"
        with running(command, folder=folder, answers=answers) as url:
            yield Jira820(url=url, session=session)


def _clean_environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith("JIRA820_")}
