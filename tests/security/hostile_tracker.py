"""Reopens on a tracker that answers one of its requests as badly as it can.

`python -m tests.security.hostile_tracker [TRACKER...]` gives every hostile answer to every request
of a reopen on each tracker, by the command line in its own process, and prints the mistakes. It
takes about half an hour; `--quick` does without the processes, and without memory.
"""

import contextlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any
from unittest.mock import patch
from urllib.parse import urlsplit

from tests.security.hostile_answers import ANSWERS, MEBIBYTE
from tests.security.relay import HostileTracker

from unlatch.cli.main import run
from unlatch.transport import TransportOptions
from unlatch_sandbox import Sandbox

TRACKERS = ("github", "ado", "jira")
# All that a process may take, its libraries included.
MOST_MEMORY = 200 * MEBIBYTE
# In place of 5 and 30 seconds, and of 120.
QUICK = {"timeouts": (2.0, 0.3)}
_QUICK_SETTING = "request_timeout = 0.8\n"
# A reopen sends few requests; each may come to its deadline, or be tried three times.
LONGEST = 30.0
_NAME = "0007-smart-discipline"
# As the command line shows the id of an error.
_ERROR = re.compile(r"\[[a-z]+(-[a-z]+)*\]$", re.MULTILINE)
_ARGUMENTS = ["--max-wait", "1", "resume", "7", "--reason", "More to do", "--yes"]


@dataclass(frozen=True, slots=True)
class Trial:
    """The result of one reopen.

    Args:
        code: the exit code; None if it did not end in time.
        said: everything on stdout and stderr.
        seconds: how long it took.
        memory: the most that the process held, in bytes.
        pending: whether metadata.json still has an operation to deliver.
        synced: whether metadata.json has the item as reopened.
        is_open: whether the item is open on the tracker.
        comments: how many comments are on the item.
        requests: the requests that were sent, each once.
    """

    code: int | None
    said: str
    seconds: float
    memory: int
    pending: bool
    synced: bool
    is_open: bool
    comments: int
    requests: tuple[tuple[str, str], ...]

    def faults(self) -> list[str]:
        """The mistakes."""
        checks = {
            "it did not end in time": self.code is None or self.seconds > LONGEST,
            f"{self.memory // MEBIBYTE} MiB of memory": self.memory > MOST_MEMORY,
            f"exit code {self.code}": self.code not in (0, 3, None),
            "an unexpected error": "unexpected" in self.said or "Traceback" in self.said,
            "no clear error": self.code == 3 and not _ERROR.search(self.said),
            "recorded and not done": self.synced and not (self.is_open and self.comments),
            "neither pending nor recorded": not self.pending and not self.synced,
            "exit code 0 and not done": self.code == 0 and not (self.is_open and self.comments),
        }
        return [name for name, is_wrong in checks.items() if is_wrong]


_CHILD = """
import atexit, pathlib, resource, sys
from unlatch.transport import TransportOptions
defaults = zip(TransportOptions.__dataclass_fields__, TransportOptions.__init__.__defaults__)
TransportOptions.__init__.__defaults__ = tuple(({bounds}).get(*one) for one in defaults)
def note():
    status = pathlib.Path("/proc/self/status")
    if status.exists():
        kib = int(status.read_text().partition("VmHWM:")[2].split()[0])
    else:
        kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    pathlib.Path({report!r}).write_text(str(kib * 1024))
atexit.register(note)
from unlatch.cli.main import main
main()
"""
# The exit code, everything that was said, and the most memory that was held.
_Ran = tuple["int | None", str, int]


def in_process(folder: Path, environ: Mapping[str, str]) -> _Ran:
    """Run the command in this process, with short time-outs; memory is not measured."""
    said = io.StringIO()
    _shorten(folder)
    usual = TransportOptions.__init__.__defaults__ or ()
    defaults = tuple(map(QUICK.get, (field.name for field in fields(TransportOptions)), usual))
    with (
        patch.dict(os.environ, environ, clear=True),
        patch.object(TransportOptions.__init__, "__defaults__", defaults),
        contextlib.chdir(folder),
        contextlib.redirect_stdout(said),
        contextlib.redirect_stderr(said),
    ):
        code = run(_ARGUMENTS)
    return code, said.getvalue(), 0


def as_process(folder: Path, environ: Mapping[str, str]) -> _Ran:
    """Run the command as a process of its own, with short time-outs."""
    _shorten(folder)
    return _child(folder, environ, QUICK)


def _shorten(folder: Path) -> None:
    """Give a request less than a second in all."""
    config = folder / ".unlatch" / "config.toml"
    config.write_text(_QUICK_SETTING + config.read_text())


def as_shipped(folder: Path, environ: Mapping[str, str]) -> _Ran:
    """Run the command as a process of its own, as users have it."""
    return _child(folder, environ, {})


def _child(folder: Path, environ: Mapping[str, str], bounds: Mapping[str, Any]) -> _Ran:
    report = folder / "memory"
    try:
        done = subprocess.run(
            [sys.executable, "-c", _CHILD.format(bounds=bounds, report=str(report)), *_ARGUMENTS],
            cwd=folder,
            env=dict(environ),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=2 * LONGEST,
            check=False,
        )
    except subprocess.TimeoutExpired as late:
        return None, (late.output or b"").decode("utf-8", "replace"), 0
    return done.returncode, done.stdout.decode("utf-8", "replace"), int(report.read_text())


def attempt(
    box: Sandbox,
    tracker: str,
    folder: Path,
    *,
    target: int = 0,
    answer: Callable[[], Iterable[bytes]] | None = None,
    run: Callable[[Path, Mapping[str, str]], _Ran] = as_process,
) -> Trial:
    """Reopen an increment whose one item is on a hostile tracker.

    Args:
        folder: an empty one.
        target: the number of the request that is answered badly; 0 for none.
        answer: makes the pieces of that answer.
        run: how the command is run.
    """
    box.reset()
    upstream = {"github": box.github.web_url, "ado": box.ado.web_url, "jira": box.jira.site}
    with HostileTracker(upstream[tracker], target=target, answer=answer) as hostile:
        link = _furnish(box, tracker, folder, hostile.url)
        started = time.monotonic()
        code, said, memory = run(folder, _environ(box, tracker, folder, hostile.url))
        seconds = time.monotonic() - started
        requests = tuple(hostile.seen)
    metadata = json.loads(_metadata(folder).read_text())
    entries = metadata.get("reopenHistory") or [{}]
    is_open, comments = link()
    return Trial(
        code=code,
        said=said,
        seconds=seconds,
        memory=memory,
        pending=bool(metadata.get("pending")),
        synced=tracker in (entries[-1].get("syncedTo") or {}),
        is_open=is_open,
        comments=comments,
        requests=requests,
    )


def _metadata(folder: Path) -> Path:
    return folder / ".unlatch" / "increments" / _NAME / "metadata.json"


def _furnish(box: Sandbox, tracker: str, folder: Path, url: str) -> Callable[[], tuple[bool, int]]:
    """Make a project with one closed item; returns how to look at the item."""
    link, config, look = _ITEMS[tracker](box, url)
    content = {
        "id": _NAME,
        "status": "completed",
        "type": "feature",
        "created": "2025-10-01T08:00:00Z",
        "completedAt": "2025-10-02T08:00:00Z",
        **link,
    }
    path = _metadata(folder)
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(content))
    (path.parent / "spec.md").write_text("# Smart discipline\n")
    (path.parent / "tasks.md").write_text("# Tasks\n")
    (folder / ".unlatch" / "config.toml").write_text(f"settle = 0\n\n{config}")
    return look


_Furnished = tuple[dict[str, Any], str, "Callable[[], tuple[bool, int]]"]


def _on_github(box: Sandbox, url: str) -> _Furnished:
    hub = box.github
    number = hub.add_issue(
        number=4, title="Smart discipline", state="closed", state_reason="completed"
    )

    def look() -> tuple[bool, int]:
        item = hub.item("octo/widgets", number)
        return item is not None and item.state == "open", len(hub.comments("octo/widgets", number))

    link = {"github": {"issue": number, "url": f"{hub.web_url}/octo/widgets/issues/{number}"}}
    return link, hub.config().replace(f'"{hub.api_url}"', f'"{url}/api/v3"'), look


def _on_ado(box: Sandbox, url: str) -> _Furnished:
    boards = box.ado
    number = boards.add_work_item(id=101, title="Smart discipline", state="Closed")

    def look() -> tuple[bool, int]:
        item = boards.item("widgets", number)
        return item is not None and item.state != "Closed", len(boards.comments(number))

    address = f"{boards.web_url}/widgets/_workitems/edit/{number}"
    link = {"ado": {"workItemId": number, "url": address}}
    place = f'organization_url = "{boards.web_url}"'
    return link, boards.config().replace(place, place.replace(_origin(boards.web_url), url)), look


def _on_jira(box: Sandbox, url: str) -> _Furnished:
    site = box.jira
    key = site.add_issue("SCRUM-28", type="Story", summary="Smart discipline", status="Done")

    def look() -> tuple[bool, int]:
        item = site.item(key)
        return item is not None and item.state != "Done", len(site.comments(key))

    link = {"jira": {"issueKey": key, "url": f"{site.site}/browse/{key}"}}
    return link, site.config().replace(f'site = "{site.site}"', f'site = "{url}"'), look


_ITEMS: dict[str, Callable[[Sandbox, str], _Furnished]] = {
    "github": _on_github,
    "ado": _on_ado,
    "jira": _on_jira,
}


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def _environ(box: Sandbox, tracker: str, folder: Path, url: str) -> dict[str, str]:
    return {
        "PATH": os.defpath,
        "HOME": str(folder),
        "XDG_STATE_HOME": str(folder / "state"),
        "LANG": "C.UTF-8",
        "PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring",
        **box.environ(),
        "UNLATCH_TRUSTED_HOSTS": f"{tracker}={urlsplit(url).netloc}",
    }


def sweep(
    box: Sandbox, trackers: Iterable[str], run: Callable[[Path, Mapping[str, str]], _Ran]
) -> Iterator[tuple[str, Trial]]:
    """Every answer to every request of each tracker's reopen, with its name."""
    for tracker in trackers:
        usual = tried(box, tracker, run=run)
        yield f"{tracker}, no harm", usual
        for number, (method, path) in enumerate(usual.requests, 1):
            for name, answer in ANSWERS.items():
                trial = tried(box, tracker, target=number, answer=answer, run=run)
                yield f"{tracker}, {name}, to {method} {path}", trial


def tried(box: Sandbox, tracker: str, **options: Any) -> Trial:
    """As `attempt`, in a folder that is deleted afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="unlatch-hostile-"))
    try:
        return attempt(box, tracker, folder, **options)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main(arguments: list[str]) -> int:
    """Sweep, and print each fault; the exit code says whether there was one."""
    trackers = [name for name in arguments if name in TRACKERS] or TRACKERS
    run = in_process if "--quick" in arguments else as_process
    count = wrong = 0
    with Sandbox() as box:
        for name, trial in sweep(box, trackers, run):
            count += 1
            if faults := trial.faults():
                wrong += 1
                sys.stdout.write(f"{name}: {'; '.join(faults)}\n{trial.said[-600:]}\n\n")
                sys.stdout.flush()
    sys.stdout.write(f"{count} reopens, {wrong} with a fault\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
