"""Kill `unlatch reopen` of three items at every boundary in turn, and run the command again.

    python -m tests.crash.item_kill [--every N] [--outside | --validators]

Prints one JSON document: how many boundaries there are, the number of deaths, and the mistakes
afterwards. With --outside the command runs in a folder that is no project; with --validators it
reopens an issue of Jira alone, whose transition wants a field and the comment.
"""

import contextlib
import io
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import azure.devops.v7_1.work_item_tracking
import github
import jira  # noqa: F401  (warms the process that all cases are forked from)
from tests.crash.stage import REASON, Case, Stage
from tests.crash.sweep import die_at_each, different, every_option

from unlatch.cli.main import run
from unlatch.delivery.run import DeliveryRun

_ = (azure.devops.v7_1.work_item_tracking, github)
_WANTED = '[trackers.jira.fields.reopen]\n"Root cause" = "Bug"\n'


@dataclass(frozen=True)
class Place:
    """Where the command runs: in the project of a case, or in a folder of its own.

    Args:
        state: the user's state folder.
    """

    stage: Stage
    case: Case
    root: Path
    state: Path
    urls: Mapping[str, str]

    def act(self) -> None:
        """Run the command; raises if it did not end with 0."""
        os.environ.update(self.stage.environ, XDG_STATE_HOME=str(self.state))
        os.environ.pop("UNLATCH_ROOT", None)
        os.chdir(self.root)
        told = ["reopen", *self.urls.values(), "--reason", REASON, "--by", "Dana"]
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            code = run(told)
        if code:
            raise SystemExit(code)

    def problems(self) -> list[str]:
        """Everything that is not as it should be in the end."""
        comments = {name: sum(some.values()) for name, some in self.stage.marked(self.case).items()}
        is_open = self.stage.open_items(self.case)
        folders = [self.root / ".unlatch/items", self.state / "unlatch/items/.unlatch/items"]
        records = [path for folder in folders for path in folder.glob("*/metadata.json")]
        pending = [json.loads(path.read_text()).get("pending", []) for path in records]
        strays = [path for folder in folders for path in folder.rglob("*.unlatch.tmp")]
        facts: dict[str, tuple[object, object]] = {
            "comments": (dict.fromkeys(comments, 0) | dict.fromkeys(self.urls, 1), comments),
            "open": (dict.fromkeys(is_open, False) | dict.fromkeys(self.urls, True), is_open),
            "pending": ([[] for _ in self.urls], pending),
            "strays": ([], strays),
        }
        return different(facts)


def place_at(stage: Stage, name: str, *, outside: bool, trackers: Sequence[str]) -> Place:
    case = stage.case(name)
    urls = {tracker: case.metadata[tracker]["url"] for tracker in trackers}
    for path in sorted(case.folder.iterdir()):
        path.unlink()
    case.folder.rmdir()
    with (case.root / ".unlatch/config.toml").open("a") as config:
        config.write(_WANTED)
    root = stage.folder / f"{name}-plain" if outside else case.root
    root.mkdir(exist_ok=True)
    return Place(stage, case, root, stage.folder / f"{name}-state", urls)


if __name__ == "__main__":
    parser = every_option(__doc__)
    parser.add_argument("--outside", action="store_true", help="outside of a project")
    parser.add_argument("--validators", action="store_true", help="only such an issue of Jira")
    options = parser.parse_args()
    # Nothing here acts late; a project's configuration says so, which is missing outside of one.
    DeliveryRun.settle_time = lambda *_: 0.0  # type: ignore[method-assign]
    with Stage() as stage:
        trackers = ("jira",) if options.validators else ("github", "ado", "jira")
        if options.validators:
            stage.call("jira", "add_project", key="SCRUM", workflow="validators")
        place = partial(place_at, stage, outside=options.outside, trackers=trackers)
        die_at_each(place, options.every)
