"""Two clones of one repository at work on the same increment: each reason is posted once."""

import threading
from functools import partial
from itertools import count, product
from pathlib import Path

import pytest
from tests.crash.cell import AIMS, KEPT, Cell
from tests.crash.delivering import deliver_one
from tests.crash.members import REASON, TRACKERS, Member, Team
from tests.git.clone import NAME

from unlatch.delivery.task import Delivery
from unlatch.increments.files.paths import paths_at
from unlatch.project.trackers import Trackers
from unlatch.project.workspace import Workspace
from unlatch_sandbox import Fault, Sandbox

ONCE = dict.fromkeys(TRACKERS, 1)
OPEN = dict.fromkeys(TRACKERS, True)
EVERYWHERE = sorted(TRACKERS)
BACK = "Reopened the wrong one"
OTHER = "The fix broke the export"


@pytest.fixture(scope="module")
def _met(_running: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Team:
    _running.reset()
    return Team.meet(_running, tmp_path_factory.mktemp("team"))


@pytest.fixture
def team(_met: Team, tmp_path: Path) -> Team:
    _met.box.reset()
    return _met.copied(tmp_path)


def assert_done(team: Team, *members: Member) -> None:
    """All items are reopened, once, and all these clones know."""
    assert team.told() == ONCE
    assert team.states() == OPEN
    assert [["reopened"]] * 3 == team.labels()
    for member in members:
        assert member.pending == []
        assert {REASON: EVERYWHERE} == member.synced


@pytest.mark.sweep
@pytest.mark.parametrize("tracker", TRACKERS)
def test_half_delivered_here_and_finished_there(team: Team, tracker: str) -> None:
    # Two were delivered; the outcome of the third comment is unknown here.
    method = {"github": "POST", "ado": "PATCH", "jira": "PUT"}[tracker]
    team.box.faults.add(Fault(tracker, "drop-after", method=method))
    assert team.laptop.reopen() == 3
    assert team.laptop.pending == [tracker]
    team.laptop.push("Reopen")
    team.colleague.pull()

    assert team.colleague.try_unlatch("sync", "7", "--yes").code == 0

    assert_done(team, team.colleague)
    # Here it is finished as well, before the other's commit arrives.
    assert team.laptop.try_unlatch("sync", "7", "--yes").code == 0
    team.colleague.push("Deliver")
    team.laptop.commit("Deliver, too")
    assert team.laptop.pull() == 0
    assert_done(team, team.laptop, team.colleague)


# What both send only when both are about to, at each place alone in `make torture`.
MEETINGS = {
    "github state": ("github", "PATCH", "/issues/"),
    "github comment": ("github", "POST", "/comments"),
    "github label": ("github", "POST", "/labels"),
    "ado": ("ado", "PATCH", "(?i)/workitems/"),
    "jira state": ("jira", "POST", "/transitions"),
    "jira comment": ("jira", "PUT", "/issue/"),
}


@pytest.mark.parametrize(
    "places",
    [
        pytest.param([*MEETINGS], id="everywhere"),
        *(pytest.param([place], marks=pytest.mark.sweep, id=place) for place in MEETINGS),
    ],
)
def test_delivered_in_both_at_the_same_moment(team: Team, places: list[str]) -> None:
    here, there = team.laptop, owed_in_both(team)[1]
    for tracker, method, path in (MEETINGS[place] for place in places):
        both = partial(threading.Barrier(2).wait, 30)
        meet = Fault(tracker, "human", method=method, path=path, times=2, action=both)
        team.box.faults.add(meet)

    failed = [delivery for delivery in at_once(here, there) if delivery.error is not None]

    assert failed == []
    assert team.box.faults.waiting() == []
    assert_done(team, here, there)


@pytest.mark.parametrize(
    ("tracker", "operation"),
    [
        pytest.param(*cell, marks=() if cell == ("github", "reopen") else pytest.mark.sweep)
        for cell in product(TRACKERS, ("reopen", "close"))
    ],
)
def test_delivered_there_between_any_two_requests_here(
    team: Team, tracker: str, operation: str
) -> None:
    for number in count():
        team.box.faults.clear()
        here = Cell(team.box, tracker, AIMS[operation], team.folder / str(number), number)
        here.enqueue()
        there = here.cloned()
        team.box.faults.add(Fault(tracker, "human", after=number, action=there.sync))
        failed = [delivery for delivery in here.sync() if delivery.error is not None]
        if team.box.faults.waiting():
            break
        problems = here.problems(alone=False), there.problems(alone=False)
        assert (number, [], ([], [])) == (number, failed, problems)
    assert number > 2


@pytest.mark.sweep
@pytest.mark.parametrize("tracker", TRACKERS)
def test_undone_there_between_any_two_requests_here(team: Team, tracker: str) -> None:
    for number in count():
        team.box.faults.clear()
        here = Cell(team.box, tracker, AIMS["reopen"], team.folder / str(number), number)
        here.act()
        here.take_back(BACK)
        there = here.cloned()
        team.box.faults.add(Fault(tracker, "human", after=number, action=there.sync))
        failed = [delivery for delivery in here.sync() if delivery.error is not None]
        if team.box.faults.waiting():
            break
        (item,) = here.items.titled(here.title)
        view = here.items.view(item)
        told = [BACK in comment.text for comment in view.comments]
        assert (number, [], False) == (number, failed, view.open)
        assert (number, sorted([KEPT, "completed"])) == (number, sorted(view.labels))
        assert (number, [False, True]) == (number, told)
        assert ([], []) == (here.pending, there.pending)
    assert number > 2


def owed_in_both(team: Team) -> tuple[Team, Member]:
    """Reopened here, and pulled there, before anything was delivered."""
    team.laptop.reopen(REASON, "--offline")
    team.laptop.push("Reopen")
    team.colleague.pull()
    return team, team.colleague


def at_once(*members: Member) -> list[Delivery]:
    """Deliver in all of them, begun at the same moment in threads of this process."""
    ready = threading.Barrier(len(members))
    found: list[Delivery] = []

    def run(member: Member) -> None:
        workspace = Workspace(
            paths_at(member.root), environ=member.environ, user_config=member.root / "none.toml"
        )
        trackers = Trackers(workspace)
        for tracker in TRACKERS:
            trackers.open(tracker)
        ready.wait(30)
        found.extend(deliver_one(workspace, trackers, NAME))

    threads = [threading.Thread(target=run, args=(member,)) for member in members]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    return found


@pytest.mark.parametrize(
    ("driver", "delivered"),
    [
        pytest.param(*cell, marks=() if cell == (False, False) else pytest.mark.sweep)
        for cell in product((True, False), repeat=2)
    ],
)
def test_reopened_in_both_for_different_reasons_and_merged(
    team: Team, driver: bool, delivered: bool
) -> None:
    here = team.laptop
    there = team.colleague if driver else team.newcomer("ci", driver=False)
    options = () if delivered else ("--offline",)
    assert here.reopen(REASON, *options) == 0
    assert there.reopen(OTHER, *options) == 0
    here.push("Reopen")
    there.commit("Reopen, too")

    code = there.pull()
    if not driver:
        assert code == 1
        there.unlatch("merge", "--resolve", "7", "--add")
        there.git("commit", "--quiet", "--no-edit")

    assert {REASON, OTHER} == set(there.reasons)
    team.writes()
    assert there.try_unlatch("sync", "7", "--yes").code == 0
    assert (team.writes() == []) is delivered
    assert (ONCE, ONCE) == (team.told(), team.told(OTHER))
    assert {REASON: EVERYWHERE, OTHER: EVERYWHERE} == there.synced
    assert (there.pending, team.states()) == ([], OPEN)
    there.push("Merge")
    here.pull()
    assert here.metadata() == there.metadata()
    assert here.git("status", "--porcelain") == ""


def test_a_ci_that_cannot_commit_back_finds_it_delivered_the_next_time(team: Team) -> None:
    team.laptop.reopen(REASON, "--offline")
    team.laptop.push("Reopen")
    first = team.newcomer("first run")
    assert first.try_unlatch("sync", "7", "--yes").code == 0
    team.writes()

    for run in ("second run", "third run"):
        ci = team.newcomer(run)
        done = ci.try_unlatch("sync", "7", "--yes")
        assert (0, []) == (done.code, team.writes()), done.out + done.err
        assert_done(team, ci)
        assert "3 operations, not recorded" in ci.unlatch("status").out
