"""In the container of a job, the checkout belongs to another account."""

from pathlib import Path

import pytest
from tests.ci.checkouts import AS_ROOT, PUBLISH, give_away
from tests.ci.jobs import Job, job, reopen_by_hand
from tests.ci.test_action import SYSTEMS, run_template_in
from tests.crash.members import Team


@AS_ROOT
def test_a_checkout_of_another_account_is_refused_without_the_template(here: Job) -> None:
    give_away(here.root)
    here.try_unlatch(*PUBLISH).ends(2, err="error[project-not-yours]")


@AS_ROOT
@pytest.mark.parametrize("system", ["github", "azure", "gitlab"])
def test_a_template_uses_the_checkout_of_its_job(team: Team, tmp_path: Path, system: str) -> None:
    reopen_by_hand(team)
    checkout = job(team, "job", SYSTEMS[system])
    give_away(checkout.root)
    run_template_in(checkout, tmp_path, system, commit="push").ends(0)
    team.laptop.pull()
    assert "active" == team.laptop.metadata()["status"]
