"""Commands in comments on pull requests, on their code as well, and by members of a team."""

import pytest
from tests.cli.project import Project
from tests.cli.trackers.comment_desk import REPOSITORY, Desk, add_people


@pytest.fixture
def desk(project: Project) -> Desk:
    """A pull request without a project, as its job needs no checkout."""
    (project.root / ".unlatch/config.toml").unlink()
    (project.root / ".unlatch").rmdir()
    add_people(project)
    project.box.github.add_issue(number=9, title="Fix", author="ann", pull_request=True)
    desk = Desk(project, "pull", 9)
    desk.close("ann", None)
    return desk


@pytest.mark.sample(at=(1,))
@pytest.mark.parametrize("review", [False, True], ids=["below", "on its code"])
def test_its_author_reopens_and_closes_it(desk: Desk, *, review: bool) -> None:
    comment = desk.post("ann", "/reopen Now it is done", review=review)
    opened = desk.take_up(comment, review=review)

    assert (0, "open", 1) == (opened.code, desk.state, desk.thumbs(comment)), opened.said
    assert 8 >= len(desk.sent), desk.sent
    [text] = desk.answers
    assert "“Now it is done” (asked by ann in" in text
    assert ("discussion_r" in text.replace("\\", "")) is review

    again = desk.take_up(comment, review=review)
    closed = desk.say("ann", "/close It is not", review=review)
    assert ([0, 0], "closed") == ([again.code, closed.code], desk.state), closed.said
    assert 2 == len(desk.answers)


@pytest.mark.parametrize(
    ("obstacle", "answer"),
    [
        ("merged", "GitHub cannot reopen a merged pull request"),
        ("branch", "the branch of this pull request was deleted. Restore the branch"),
    ],
)
def test_what_github_cannot_reopen_is_explained_once(
    desk: Desk, obstacle: str, answer: str
) -> None:
    github = desk.project.box.github
    if obstacle == "merged":
        desk.number = github.add_issue(
            title="Fix", author="ann", pull_request=True, merged=True, state="closed"
        )
    else:
        github.edit(REPOSITORY, 9, branch_deleted=True)

    done = [desk.say("wes", "/reopen It is done"), desk.say("wes", "/reopen Please")]

    assert [0, 0] == [each.code for each in done], done[0].said
    [text] = desk.answers
    assert ("closed", True) == (desk.state, answer in text), text
    assert not any(sent.startswith("PATCH") for sent in desk.sent)


@pytest.mark.parametrize("teams", [{"support": {"oda"}}, {"support": {"ann"}}, {}, None])
def test_a_team_may_if_the_token_reads_it(
    project: Project, teams: dict[str, set[str]] | None
) -> None:
    add_people(project)
    project.configure_more(tables='[comments]\nallow = ["author", "team:support"]\n')
    project.box.github.add_issue(number=4, title="Crash", author="ann")
    desk = Desk(project)
    desk.close("wes")
    project.box.github.teams = teams

    done = desk.say("oda", "/reopen Customers ask for it")

    is_in = teams == {"support": {"oda"}}
    assert (0, "open" if is_in else "closed") == (done.code, desk.state), done.said


@pytest.mark.sample(at=(1, 2, 3))
@pytest.mark.parametrize(
    "branch",
    [
        *("main", "stranger", "detached", "detached stranger", "detached and published"),
        "unreadable, perhaps a stranger",
    ],
)
def test_settings_of_another_branch_count_for_nothing(project: Project, branch: str) -> None:
    add_people(project)
    project.configure_more(tables="[comments]\nspread = true\n")
    project.box.github.add_issue(number=4, title="Crash", author="ann")
    desk = Desk(project)
    desk.close("ann")
    project.commit()
    if branch.startswith("detached"):
        # The CI variables name the default branch, even if the job checks out another commit.
        sha = project.git("rev-parse", "HEAD").strip()
        project.extra |= {"GITHUB_REF": "refs/heads/main", "GITHUB_SHA": sha}
        project.git("checkout", "--quiet", "--detach")
        if branch != "detached":
            project.git("commit", "--quiet", "--allow-empty", "--message", "More")
        if branch == "detached and published":
            project.git("update-ref", "refs/remotes/origin/main", "HEAD")
    elif branch.startswith("unreadable"):
        project.extra |= {"GITHUB_REF": "refs/heads/main"}
        (project.root / ".git/HEAD").write_text("lost\n")
    else:
        project.git("checkout", "--quiet", "-B", branch)
    event = desk.event(desk.post("ann", "/reopen It crashes"))

    done = desk.ingest({**event, "repository": {"default_branch": "main"}})

    if "stranger" not in branch:
        assert (0, "open") == (done.code, desk.state), done.said
    else:
        assert (2, "closed", []) == (done.code, desk.state, desk.sent)
        assert "error[comment-settings]" in done.err
