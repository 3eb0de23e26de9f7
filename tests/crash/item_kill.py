"""Kill `unlatch reopen` of three items at every boundary in turn, and run the command again.

    python -m tests.crash.item_kill [--every N] [--outside | --earlier | --validators]

Prints one JSON document: how many boundaries there are, the number of deaths, and the mistakes
afterwards. With --outside the command runs in a folder that is no project, and with --earlier
two of its records are where earlier versions keep them, one of them beside a new one; with
--validators it reopens an issue of Jira alone, whose transition wants a field and the comment.
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
from tests.crash.boundaries import in_fork
from tests.crash.stage import REASON, Case, Stage
from tests.crash.sweep import die_at_each, different, every_option

from unlatch.cli.main import run
from unlatch.delivery.run import DeliveryRun

_ = (azure.devops.v7_1.work_item_tracking, github)
EARLIER = ".unlatch/items"
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
        self.reopen(*self.urls.values())

    def reopen(self, *words: str) -> None:
        os.environ.update(self.stage.environ, XDG_STATE_HOME=str(self.state))
        os.environ.pop("UNLATCH_ROOT", None)
        os.chdir(self.root)
        told = ["reopen", *words, "--reason", REASON, "--by", "Dana"]
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            code = run(told)
        if code:
            raise SystemExit(code)

    def begin_earlier(self) -> None:
        """Leave two pending operations to it, as an earlier version did, and repeat one of them."""
        items = self.state / "unlatch/items"
        github, ado, _ = self.urls.values()
        assert not in_fork(partial(self.reopen, github, ado, "--offline"))
        old = items / EARLIER
        old.mkdir(parents=True)
        for record in items.glob("[0-9]*"):
            record.rename(old / record.name)
        # A command of this version would move them; one of both is used beside the other.
        old.parent.rename(aside := self.state / "aside")
        assert not in_fork(partial(self.reopen, github, "--offline"))
        aside.rename(old.parent)

    def problems(self) -> list[str]:
        """Everything that is not as it should be in the end."""
        comments = {name: sum(some.values()) for name, some in self.stage.marked(self.case).items()}
        is_open = self.stage.open_items(self.case)
        folders = [self.root / ".unlatch/items", self.state / "unlatch/items"]
        records = [path for folder in folders for path in folder.glob("*/metadata.json")]
        pending = [json.loads(path.read_text()).get("pending", []) for path in records]
        strays = [path for folder in folders for path in folder.rglob("*.unlatch.tmp")]
        facts: dict[str, tuple[object, object]] = {
            "comments": (dict.fromkeys(comments, 0) | dict.fromkeys(self.urls, 1), comments),
            "open": (dict.fromkeys(is_open, False) | dict.fromkeys(self.urls, True), is_open),
            "pending": ([[] for _ in self.urls], pending),
            "strays": ([], strays),
            "earlier": ([], [*self.state.glob("unlatch/items/.*")]),
        }
        return different(facts)


def place_at(
    stage: Stage, name: str, *, outside: bool, trackers: Sequence[str], earlier: bool = False
) -> Place:
    case = stage.case(name)
    urls = {tracker: case.metadata[tracker]["url"] for tracker in trackers}
    for path in sorted(case.folder.iterdir()):
        path.unlink()
    case.folder.rmdir()
    with (case.root / ".unlatch/config.toml").open("a") as config:
        config.write(_WANTED)
    root = stage.folder / f"{name}-plain" if outside else case.root
    root.mkdir(exist_ok=True)
    place = Place(stage, case, root, stage.folder / f"{name}-state", urls)
    if earlier:
        place.begin_earlier()
    return place


if __name__ == "__main__":
    parser = every_option(__doc__)
    parser.add_argument("--outside", action="store_true", help="outside of a project")
    parser.add_argument("--earlier", action="store_true", help="outside, with earlier records")
    parser.add_argument("--validators", action="store_true", help="only such an issue of Jira")
    options = parser.parse_args()
    # Nothing here acts late; a project's configuration says so, which is missing outside of one.
    DeliveryRun.settle_time = lambda *_: 0.0  # type: ignore[method-assign]
    with Stage() as stage:
        trackers = ("jira",) if options.validators else ("github", "ado", "jira")
        if options.validators:
            stage.call("jira", "add_project", key="SCRUM", workflow="validators")
        outside = options.outside or options.earlier
        kind = {"outside": outside, "earlier": options.earlier}
        place = partial(place_at, stage, trackers=trackers, **kind)
        die_at_each(place, options.every)
