"""PyPI `roundup` 2.6.0, a real issue tracker: its classic template, empty, and its admin.

Facts for a plugin, each observed:

- An issue's keywords are a set, and so are its messages; PUT needs If-Match with the ETag that GET
  showed, and answers 412 without it or with an old one. PUT keeps unnamed properties.
- A message that is added to a resolved issue makes it `chatting`, unless the same request names
  the status. A message needs an author: the tracker does not fill in who posts it.
- 409 is any value that the database refuses ("no such issue 1", a keyword that exists already).
- A wrong password is answered by 401 in plain text, a header that is missing or names another host
  (Origin, X-Requested-With) by 400.
- A collection shows the content of messages with @verbose=3 alone. Several ids are asked for by
  `id=1&id=2`: `id=1,2` finds them in one of its databases and nothing in another.
"""

import importlib.util
import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from typing import Any

import requests
from tests.servers.process import Command, NotStarted, Unavailable, free_session, running

USER = "admin"
PASSWORD = "sesame-of-the-admin"
SECONDS = 10.0

# The rounds are the fewest that it takes: every request hashes the password anew.
_CONFIG = {
    "password_pbkdf2_default_rounds": "1000",
    "domain": "tracker.invalid",
    "host": "localhost",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Roundup:
    """A running server; the methods prepare issues and read their state, past any plugin."""

    url: str
    user: str = USER
    password: str = field(default=PASSWORD, repr=False)
    session: requests.Session = field(repr=False)
    _keywords: set[str] = field(default_factory=set, repr=False)

    def request(self, method: str, path: str, **arguments: Any) -> requests.Response:
        """`path` is relative to the data, such as /issue/1."""
        url = f"{self.url}/rest/data{path}"
        return self.session.request(method, url, timeout=SECONDS, **arguments)

    def add_status(self, name: str) -> None:
        self._sent("POST", "/status", {"name": name, "order": "9"})

    def add_issue(self, title: str, *, status: str, keywords: Sequence[str] = ()) -> str:
        for name in keywords:
            self._need_keyword(name)
        issue = {"title": title, "status": status, "keyword": [*keywords]}
        return str(self._sent("POST", "/issue", issue)["id"])

    def status(self, issue: str) -> str:
        return str(self._fields(issue, "status")["status"]["name"])

    def keywords(self, issue: str) -> set[str]:
        return {one["name"] for one in self._fields(issue, "keyword")["keyword"]}

    def say(self, issue: str, texts: Sequence[str]) -> None:
        """Add messages, and leave the status as it is."""
        added = []
        for text in texts:
            message = {"content": text, "author": USER, "date": "."}
            added.append(self._sent("POST", "/msg", message)["id"])
        messages = [one["id"] for one in self._fields(issue, "messages")["messages"]]
        self.change(issue, {"messages": messages + added, "status": self.status(issue)})

    def messages(self, issue: str) -> list[str]:
        """The texts of all messages, oldest first."""
        ids = [one["id"] for one in self._fields(issue, "messages")["messages"]]
        if not ids:
            return []
        query = "&".join(f"id={number}" for number in ids)
        shown = self._read(f"/msg?@verbose=3&@fields=content&@sort=id&{query}")["collection"]
        return [str(one["content"]) for one in shown]

    def change(self, issue: str, fields: dict[str, Any]) -> None:
        etag = self.request("GET", f"/issue/{issue}").headers["ETag"]
        self._sent("PUT", f"/issue/{issue}", fields, headers={"If-Match": etag})

    def _need_keyword(self, name: str) -> None:
        if name not in self._keywords:
            self.request("POST", "/keyword", json={"name": name})  # 409: it is there already
            self._keywords.add(name)

    def _fields(self, issue: str, name: str) -> dict[str, Any]:
        answer: dict[str, Any] = self._read(f"/issue/{issue}?@verbose=2&@fields={name}")
        fields: dict[str, Any] = answer["attributes"]
        return fields

    def _read(self, path: str) -> Any:
        response = self.request("GET", path)
        response.raise_for_status()
        return response.json()["data"]

    def _sent(self, method: str, path: str, body: dict[str, Any], **more: Any) -> dict[str, Any]:
        response = self.request(method, path, json=body, **more)
        response.raise_for_status()
        answer: dict[str, Any] = response.json()["data"]
        return answer


@contextmanager
def roundup_server(folder: Path) -> Iterator[Roundup]:
    """Run the server with its tracker and log in `folder`; Unavailable if it can't be had."""
    if importlib.util.find_spec("roundup") is None:
        raise Unavailable("roundup is not installed (pip install --group dev)")
    home = folder / "home"
    _admin(home, "install", "classic", "sqlite")
    _configure(home, _CONFIG | {"web": "http://127.0.0.1:1/tracker/"})
    _admin(home, "initialise", PASSWORD)

    def command(port: int) -> Command:
        # It refuses requests that name another place in their headers than this one.
        _configure(home, {"web": f"http://127.0.0.1:{port}/tracker/"})
        # One request at a time: its database stays locked for half a minute after two requests
        # that made the same keyword at once.
        serial = ["-t", "none", "-V", "HTTP/1.0"]
        options = ["-n", "127.0.0.1", "-p", str(port), *serial, *_as_root(), f"tracker={home}"]
        argv = [sys.executable, "-m", "roundup.scripts.roundup_server", *options]
        return Command(argv=argv, env=os.environ)

    def answers(url: str) -> bool:
        response = session.get(f"{url}/tracker/rest/data/status", timeout=SECONDS)
        return response.status_code == HTTPStatus.OK

    with free_session() as session:
        session.auth = (USER, PASSWORD)
        session.headers["X-Requested-With"] = "requests"
        with running(command, folder=folder, answers=answers) as url:
            session.headers["Origin"] = url
            session.headers["Referer"] = f"{url}/tracker/"
            yield Roundup(url=f"{url}/tracker", session=session)


def _admin(home: Path, *arguments: str) -> None:
    home.mkdir(exist_ok=True)
    done = subprocess.run(
        [sys.executable, "-m", "roundup.scripts.roundup_admin", "-i", str(home), *arguments],
        input="y\n" * 3,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    if done.returncode:
        raise NotStarted(f"roundup-admin {arguments[0]} failed:\n{done.stdout}{done.stderr}")


def _configure(home: Path, values: dict[str, str]) -> None:
    path = home / "config.ini"
    text = path.read_text(encoding="utf-8")
    for name, value in values.items():
        text = re.sub(rf"(?m)^#?{name} = .*$", f"{name} = {value}", text)
    path.write_text(text, encoding="utf-8")


def _as_root() -> list[str]:
    # It runs as root only with this option.
    return ["-u", "root"] if os.getuid() == 0 else []
