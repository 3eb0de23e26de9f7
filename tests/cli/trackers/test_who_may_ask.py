"""Who may reopen what was closed how: each cell from the event to the issue, over HTTP."""

import pytest
from tests.cli.project import Project
from tests.cli.trackers.comment_desk import REPOSITORY, Desk, add_people

ASKERS = ("ann", "abe", "tim", "wes", "oda", "helper[bot]")
# For the author, the assignee, triage, write, an outsider and a bot:
# + reopened, ! reopened with --even-if-not-planned alone, - refused with one answer, . passed over.
TABLE = {
    "author": "+-++-.",
    "assignee": "-+++-.",
    "person, completed": "--++-.",
    "person, not planned": "--!!-.",
    "person, duplicate": "--!!-.",
    "bot": "++++-.",
    "bot, not planned": "++++-.",
    "workflow": "++++-.",
    "merged pull request": "++++-.",
    "unlatch": "++++-.",
    "unlatch, by a person": "++++-.",
    "locked": "--!!-.",
}


def close(desk: Desk, closing: str) -> None:
    by, _, reason = closing.partition(", ")
    box, project = desk.project.box, desk.project
    if closing == "merged pull request":
        box.github.merge_pull_request(REPOSITORY, 9, closes=4)
    elif by == "unlatch":
        token = box.github.fine_token if reason else box.github.bot_token
        with project.monkeypatch.context() as patch:
            patch.setitem(project.extra, "GITHUB_TOKEN", token)
            assert 0 == project.run("close", desk.url, "--reason", "Done").code
        # Whoever looks later is another account.
        project.extra["GITHUB_TOKEN"] = box.github.bot_token
    else:
        names = {"author": "ann", "assignee": "abe", "person": "wanda", "locked": "stale[bot]"}
        machines = {"bot": "stale[bot]", "workflow": "github-actions[bot]"}
        desk.close({**names, **machines}[by], (reason or "completed").replace(" ", "_"))
    if closing == "locked":
        box.github.edit(REPOSITORY, 4, locked=True)


@pytest.mark.sample(at=(12, 20, 50))
@pytest.mark.parametrize("asker", ASKERS)
@pytest.mark.parametrize("closing", TABLE)
def test_who_may_reopen(project: Project, closing: str, asker: str) -> None:
    add_people(project)
    github = project.box.github
    github.add_person("abe", role="read")
    github.add_issue(number=4, title="Crash", author="ann", assignee="abe")
    desk, sign = Desk(project), TABLE[closing][ASKERS.index(asker)]
    close(desk, closing)
    before = len(desk.answers)

    plain = desk.say(asker, "/reopen It crashes")
    after = (desk.state, len(desk.answers) - before)
    insisting = desk.say(asker, "/reopen --even-if-not-planned It crashes")

    # A locked issue takes no comments.
    told, insisted = (0, 0) if closing == "locked" else (1, 2)
    assert {"+": ("open", 1), ".": ("closed", 0)}.get(sign, ("closed", told)) == after
    assert ("open" if sign in "+!" else "closed") == desk.state, plain.said + insisting.said
    assert [0, 0] == [plain.code, insisting.code], plain.said + insisting.said
    expected = {".": 0, "!": insisted, "-": told}.get(sign, 1)
    assert expected == len(desk.answers) - before, desk.answers
