"""A reopen on a feature branch, and a sync on main that sees its items open before the merge."""

from pathlib import Path

import pytest
from tests.crash.items import Items
from tests.crash.members import REASON, TRACKERS, Team

from unlatch_sandbox import Sandbox

ONCE = dict.fromkeys(TRACKERS, 1)
OPEN = dict.fromkeys(TRACKERS, True)


@pytest.fixture(scope="module")
def _met(_running: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Team:
    _running.reset()
    team = Team.meet(_running, tmp_path_factory.mktemp("team"))
    assert team.laptop.try_unlatch("sync", "--yes").code == 0
    team.laptop.push("Look")
    team.colleague.pull()
    return team


@pytest.fixture
def team(_met: Team, tmp_path: Path) -> Team:
    """A team whose clones have seen both sides in sync, on main."""
    _met.box.reset()
    team = _met.copied(tmp_path)
    team.writes()
    return team


@pytest.mark.sweep
@pytest.mark.parametrize("pushed", [True, False])
def test_a_reopen_on_a_branch_is_adopted_on_main_and_merged_once(
    team: Team, *, pushed: bool
) -> None:
    here, main = team.laptop, team.colleague
    here.git("checkout", "--quiet", "-b", "feature")
    assert here.reopen() == 0
    here.commit("Reopen")
    if pushed:
        here.git("push", "--quiet", "origin", "feature")
    team.writes()

    done = main.try_unlatch("sync", "--yes")

    assert (0, []) == (done.code, team.writes()), done.out + done.err
    assert "reopened on another branch" in done.out
    assert main.metadata()["status"] == "completed"
    assert team.states() == OPEN
    here.git("checkout", "--quiet", "main")
    here.git("merge", "--quiet", "--no-edit", "feature")
    here.push("Merge")
    main.pull()
    again = main.try_unlatch("sync", "--yes")
    assert (0, []) == (again.code, team.writes()), again.out + again.err
    assert [REASON] == main.reasons
    assert (ONCE, OPEN) == (team.told(), team.states())
    assert main.metadata()["status"] == "active"


def test_a_reopen_that_git_reverted_is_drift_until_a_command_ends_it(team: Team) -> None:
    here = team.laptop
    assert here.reopen() == 0
    here.commit("Reopen")
    here.git("revert", "--no-edit", "HEAD")
    before = here.metadata()
    team.writes()

    synced, checked = here.try_unlatch("sync", "--yes"), here.try_unlatch("sync", "--check")

    assert ([], before) == (team.writes(), here.metadata())
    assert (5, 3) == (checked.code, checked.out.count("a commit of this branch reverted that"))
    assert "another branch" not in synced.out + checked.out
    steps = [line.split()[1:] for line in synced.err.splitlines() if line.startswith("  unlatch ")]
    assert ["resume", "github", "ado", "jira"] == [step[0] for step in steps]
    for step in steps[1:]:
        assert here.try_unlatch(*step).code == 0
    assert here.try_unlatch("sync", "--check").code == 0
    assert dict.fromkeys(OPEN, False) == team.states()


def test_on_a_branch_statuses_are_shown_and_not_compared(team: Team) -> None:
    here = team.laptop
    here.git("checkout", "--quiet", "-b", "feature")
    here.git("remote", "set-head", "origin", "main")
    github = Items(team.box, "github")
    team.box.github.edit("octo/widgets", int(team.ids["github"]), state="open")
    before = here.metadata()

    done = here.try_unlatch("sync", "--yes")

    assert (0, [], before) == (done.code, team.writes(), here.metadata()), done.out + done.err
    assert "On branch feature only pending operations are delivered" in done.err
    assert github.view(team.ids["github"]).open
