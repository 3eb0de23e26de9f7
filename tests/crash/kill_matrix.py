"""Kill a resume at every boundary in turn, recover, and compare with a resume that was left alone.

    python -m tests.crash.kill_matrix [--every N] [--both] [--cold N]

Prints one JSON document: how many boundaries there are, the number of deaths, and the mistakes
afterwards. The caches are kept at one boundary and deleted at the next; with --both it is done both
ways at each. Deaths happen in forks of a warmed process; every so often a cold process is started
instead.
"""

import signal
import subprocess
import sys
from functools import partial

import azure.devops.v7_1.work_item_tracking
import github
import jira  # noqa: F401  (warms the process that all cases are forked from)
from tests.crash.boundaries import dies, in_fork, passed_in
from tests.crash.delivering import deliver_one
from tests.crash.stage import INCREMENT, REASON, Case, Stage
from tests.crash.sweep import every_option, report

from unlatch.increments.files.paths import paths_at
from unlatch.lifecycle.resume import resume
from unlatch.lifecycle.resume_plan import ResumeRequest
from unlatch.project.trackers import Trackers
from unlatch.project.workspace import Workspace

_ = (azure.devops.v7_1.work_item_tracking, github)
_COLD = """
import sys
from tests.crash.boundaries import Boundaries
from tests.crash.delivering import deliver_one
boundaries = Boundaries(int(sys.argv[1]))
boundaries.install()
from unlatch.cli.main import run
sys.exit(run(sys.argv[2:]))
"""


def reopen(stage: Stage, case: Case) -> None:
    """Act as `unlatch resume 7 --reason ... --yes`, also repeated by a person."""
    workspace = Workspace(
        paths_at(case.root), environ=stage.environ, user_config=stage.folder / "none.toml"
    )
    resumed = resume(workspace, INCREMENT, ResumeRequest(by="Dana", reason=REASON))
    deliver_one(workspace, Trackers(workspace), INCREMENT, resumed.fresh)


def count_boundaries(stage: Stage) -> list[str]:
    """The boundaries of a resume that is left alone."""
    case = stage.case("whole")
    names = passed_in(partial(reopen, stage, case))
    assert stage.problems(case) == [], stage.problems(case)
    return names


def die(stage: Stage, case: Case, number: int, *, cold: bool) -> bool:
    """Kill a resume at a boundary; whether it got that far."""
    if cold:
        command = ["-c", _COLD, str(number), "--root", str(case.root)]
        told = ["resume", "7", "--reason", REASON, "--yes", "--by", "Dana"]
        done = subprocess.run(
            [sys.executable, *command, *told], env=stage.environ, capture_output=True, check=False
        )
        return done.returncode == -signal.SIGKILL
    return dies(partial(reopen, stage, case), number)


def main() -> None:
    """Run the matrix; the exit code is 0 if nothing was wrong."""
    parser = every_option(__doc__)
    parser.add_argument(
        "--both", action="store_true", help="each with the caches kept and deleted, not in turn"
    )
    parser.add_argument("--cold", type=int, default=40, help="every n-th death is a cold one")
    options = parser.parse_args()
    wrong: dict[str, list[str]] = {}
    deaths = cold_deaths = 0
    with Stage() as stage:
        names = count_boundaries(stage)
        for number in range(1, len(names) + 1, options.every):
            for kept in (True, False) if options.both else (number // options.every % 2 == 0,):
                case = stage.case(f"{number}-{kept}")
                cold = (deaths + 1) % options.cold == 0
                died = die(stage, case, number, cold=cold)
                deaths, cold_deaths = deaths + died, cold_deaths + (died and cold)
                if not kept:
                    stage.forget_local(case)
                recovered = in_fork(partial(reopen, stage, case))
                problems = stage.problems(case)
                if recovered or problems:
                    place = f"{number} {names[number - 1]} {'kept' if kept else 'deleted'}"
                    wrong[place] = [*problems, f"recovery: {recovered}"]
    counts = {"boundaries": len(names), "deaths": deaths, "coldDeaths": cold_deaths}
    report(counts, wrong)


if __name__ == "__main__":
    main()
