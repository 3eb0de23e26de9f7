"""Kill `unlatch regressions --apply` at every boundary in turn, and run the command again.

    python -m tests.crash.regression_kill [--every N] [--note]

Prints one JSON document: how many boundaries there are, the number of deaths, and the mistakes
afterwards. With --note the work is open for one cause, and the command records a further one.
"""

import contextlib
import io
import os
import subprocess
from dataclasses import dataclass
from functools import partial

import azure.devops.v7_1.work_item_tracking
import github
import jira  # noqa: F401  (warms the process that all cases are forked from)
from tests.crash.boundaries import in_fork
from tests.crash.stage import Case, Stage
from tests.crash.sweep import die_at_each, different, every_option

from unlatch.cli.main import run
from unlatch.increments.records.events import Broken
from unlatch.increments.records.status_events import LOG

_ = (azure.devops.v7_1.work_item_tracking, github)
_SETTINGS = "\n[regressions]\npolicy = {trailer = 'reopen'}\n"
_CAUSES = ("Search is slow", "Search fails")


@dataclass(frozen=True)
class Place:
    """A project in git with a cause, or with a second one.

    Args:
        causes: how many commits ask for a reopen.
    """

    stage: Stage
    case: Case
    causes: int = 1

    def git(self, *arguments: str) -> None:
        who = ("-c", "user.name=Dana", "-c", "user.email=dana@example.com")
        subprocess.run(["git", *who, *arguments], cwd=self.case.root, check=True)

    def ask(self, cause: str) -> None:
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "-m", f"{cause}\n\nReopens: 7")

    def act(self) -> None:
        """Run the command; raises if it did not end with 0."""
        os.environ.update(self.stage.environ)
        told = ["--root", str(self.case.root), "regressions", "--apply", "--yes", "--by", "Dana"]
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            code = run(told)
        if code:
            raise SystemExit(code)

    def problems(self) -> list[str]:
        """Everything that is not as it should be in the end."""
        metadata = self.case.metadata
        told = [event for event in LOG.read(self.case.folder) if isinstance(event, Broken)]
        reopens = metadata.get("reopenHistory", [])
        comments = {name: sum(some.values()) for name, some in self.stage.marked(self.case).items()}
        is_open = self.stage.open_items(self.case)
        facts: dict[str, tuple[object, object]] = {
            "status": ("active", metadata["status"]),
            "causes": ([_CAUSES[0]], [entry["cause"]["evidence"] for entry in reopens]),
            "further": (
                [*_CAUSES[1 : self.causes]],
                [cause.evidence for event in told for cause in event.causes],
            ),
            "comments": (dict.fromkeys(comments, self.causes), comments),
            "open": (dict.fromkeys(is_open, True), is_open),
            "pending": ([], metadata.get("pending", [])),
            "strays": ([], [*self.case.folder.glob("*.unlatch.tmp")]),
        }
        return different(facts)


def place_at(stage: Stage, name: str, *, causes: int) -> Place:
    place = Place(stage, stage.case(name))
    with (place.case.root / ".unlatch/config.toml").open("a") as config:
        config.write(_SETTINGS)
    place.git("init", "--quiet", "--initial-branch", "main", "--template=")
    place.git("add", "--all")
    place.git("commit", "--quiet", "-m", "Begin")
    for number, cause in enumerate(_CAUSES[:causes]):
        if number:
            assert not in_fork(place.act)
        place.ask(cause)
    return Place(stage, place.case, causes)


if __name__ == "__main__":
    parser = every_option(__doc__)
    parser.add_argument("--note", action="store_true", help="a further cause of open work")
    options = parser.parse_args()
    with Stage() as stage:
        place = partial(place_at, stage, causes=1 + options.note)
        die_at_each(place, options.every)
