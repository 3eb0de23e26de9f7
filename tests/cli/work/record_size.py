"""Measure what reopens of an increment with two items add to its metadata.json.

    python -m tests.cli.work.record_size [FOLDER]

FOLDER is another checkout, whose unlatch is measured; by default this one. Prints one JSON
document: the added bytes and lines of a diff after one reopen, and after 21 of them, each undone
by a close; `both` has the items on one tracker, `each` on two.
"""

import argparse
import difflib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from unlatch_sandbox import Sandbox

REOPENS = 21
HERE = Path(__file__).parents[3]


class Measured:
    """An increment with two items, and the unlatch of a checkout that reopens it."""

    def __init__(self, box: Sandbox, root: Path, checkout: Path = HERE) -> None:
        self.box, self.root, self.checkout = box, root, checkout
        self.metadata = root / ".unlatch/increments/0007-search/metadata.json"
        self.metadata.parent.mkdir(parents=True)
        (root / ".unlatch/config.toml").write_text(box.config())

    def link(self, *, is_each: bool) -> None:
        """Write the increment, with its items closed."""
        github = [self.box.github.add_issue(title="T", state="closed", labels=("bug", "completed"))]
        blocks = {"github": self._issues(github)}
        if is_each:
            jira = self.box.jira.add_issue(summary="T", status="Done", labels=("bug", "completed"))
            item = self.box.jira.item(jira)
            assert item is not None
            blocks["jira"] = {"issueKey": jira, "url": item.url}
        else:
            more = self.box.github.add_issue(title="U", state="closed", labels=("bug", "completed"))
            blocks["github"] = self._issues([*github, more])
        times = dict.fromkeys(("created", "lastActivity", "completedAt"), "2026-01-01T00:00:00Z")
        data = {"id": "0007-search", "status": "completed", "type": "feature", **times, **blocks}
        self.metadata.write_text(json.dumps(data, indent=2) + "\n")

    def _issues(self, numbers: list[int]) -> dict[str, object]:
        url = f"{self.box.github.web_url}/octo/widgets/issues"
        items = [{"issue": number, "url": f"{url}/{number}"} for number in numbers]
        return {**items[0], "items": items} if len(items) > 1 else {**items[0]}

    def run(self, *words: str) -> None:
        paths = f"{self.checkout / 'core'}:{self.checkout / 'plugins'}"
        own = {"PYTHONPATH": paths, "HOME": str(self.root), "XDG_STATE_HOME": str(self.root)}
        environ = {"PATH": os.environ["PATH"], **self.box.environ(), **own}
        # Earlier versions do not know for which tracker a host is.
        hosts = [one.rpartition("=")[2] for one in environ["UNLATCH_TRUSTED_HOSTS"].split(",")]
        if self.checkout != HERE:
            environ["UNLATCH_TRUSTED_HOSTS"] = ",".join(hosts)
        command = [sys.executable, "-m", "unlatch.cli", *words]
        done = subprocess.run(
            command, cwd=self.root, env=environ, check=False, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout + done.stderr

    def reopen(self, number: int) -> None:
        self.run("resume", "7", "--yes", "--reason", f"Reason {number}")


def measure(checkout: Path = HERE, reopens: int = REOPENS) -> dict[str, dict[str, int]]:
    """The added bytes and lines, by the place of the items and the number of reopens."""
    growths = {}
    for name in ("both", "each"):
        with tempfile.TemporaryDirectory() as folder, Sandbox() as box:
            measured = Measured(box, Path(folder), checkout)
            measured.link(is_each=name == "each")
            found = {n: one for n, one in measure_growth(measured, reopens) if n in (1, reopens)}
        growths[name] = {
            f"{what} after {number}": growth[place]
            for number, growth in found.items()
            for place, what in enumerate(("bytes", "lines"))
        }
    return growths


def measure_growth(measured: Measured, reopens: int) -> Iterator[tuple[int, tuple[int, int]]]:
    """The number of each reopen, and the bytes and lines that were added and changed until then."""
    before = measured.metadata.read_text()
    for number in range(1, reopens + 1):
        measured.reopen(number)
        after = measured.metadata.read_text()
        lines = [*difflib.unified_diff(before.splitlines(), after.splitlines(), n=0)]
        yield number, (len(after) - len(before), sum(line[:1] in "+-" for line in lines[2:]))
        if number < reopens:
            measured.run("complete", "7", "--yes")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=HERE)
    print(json.dumps(measure(parser.parse_args().folder.resolve()), indent=1))  # noqa: T201
