"""unlatch sync compares statuses on one branch; a detached HEAD is not that branch."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.cli.project import Project
from tests.cli.trackers.test_sync import by_hand, finished, with_issue, writes

from unlatch.project.git.revisions import DETACHED, current_branch
from unlatch.spi import visible
from unlatch.sync import branches
from unlatch.worklog.ids import new_ulid

__all__ = ["finished", "with_issue"]
MAIN = '[sync]\nbranch = "main"\n'


@pytest.fixture
def detached(with_issue: Project) -> Project:
    """A completed increment in sync, its issue reopened by hand, and no branch checked out."""
    with_issue.commit()
    with_issue.git("checkout", "--quiet", "--detach")
    by_hand(with_issue, "github", opens=True)
    return with_issue


@pytest.mark.parametrize("tables", ["", MAIN], ids=["default", "configured"])
def test_on_a_detached_head_no_status_follows_an_item(detached: Project, tables: str) -> None:
    detached.configure_more(tables=tables)
    before = detached.tree()
    done = detached.run("sync", "--yes")
    assert (0, before, []) == (done.code, detached.tree(), writes(detached)), done.said
    assert "HEAD is detached: only pending operations are delivered." in done.err


CI_BRANCHES: list[tuple[dict[str, str], str]] = [
    ({"GITHUB_REF": "refs/heads/main"}, "main"),
    ({"BUILD_SOURCEBRANCH": "refs/heads/main"}, "main"),
    ({"CI_COMMIT_BRANCH": "main"}, "main"),
    ({"GITHUB_REF": "refs/tags/main", "GITHUB_REF_NAME": "main"}, DETACHED),
    ({"GITHUB_REF": "refs/pull/3/merge", "GITHUB_HEAD_REF": "main"}, DETACHED),
    ({"GITHUB_REF": "refs/heads/main", "GITHUB_HEAD_REF": "main"}, DETACHED),
    ({"BUILD_SOURCEBRANCH": "refs/tags/main", "BUILD_SOURCEBRANCHNAME": "main"}, DETACHED),
    ({"BUILD_SOURCEBRANCH": "refs/pull/3/merge"}, DETACHED),
    ({"CI_COMMIT_TAG": "main", "CI_COMMIT_REF_NAME": "main"}, DETACHED),
    ({"CI_MERGE_REQUEST_SOURCE_BRANCH_NAME": "main", "CI_COMMIT_REF_NAME": "main"}, DETACHED),
]


def test_the_ci_system_names_the_branch_of_a_detached_head_but_no_tag_or_pull_request(
    detached: Project,
) -> None:
    for environ, branch in CI_BRANCHES:
        assert (environ, current_branch(detached.root, environ)) == (environ, branch)


@pytest.mark.parametrize("named_by", ["itself", "default"])
def test_a_branch_is_compared_if_the_default_branch_names_it(
    with_issue: Project, tmp_path: Path, named_by: str
) -> None:
    config = with_issue.root / ".unlatch/config.toml"
    text = f"{config.read_text()}\n[sync]\nbranch = 'develop'\n"
    if named_by == "default":
        config.write_text(text)
    with_issue.commit()
    with_issue.git("clone", "--quiet", "--bare", ".", str(tmp_path / "origin.git"))
    with_issue.git("remote", "add", "origin", str(tmp_path / "origin.git"))
    with_issue.git("fetch", "--quiet", "origin")
    with_issue.git("remote", "set-head", "origin", "main")
    with_issue.git("switch", "--quiet", "--create", "develop")
    config.write_text(text)
    (with_issue.folder() / "tasks.md").write_text("# Tasks\n\n- [x] T-001: A stranger's words\n")
    by_hand(with_issue, "github", opens=True)
    with_issue.box.requests.clear()

    done = with_issue.run("sync", "--yes")

    is_compared = named_by == "default"
    assert is_compared is ("active" == with_issue.metadata()["status"]), done.said
    assert is_compared is (writes(with_issue) != [])
    told = "On branch develop only pending operations are delivered." in done.err
    assert (0, not is_compared) == (done.code, told), done.said


@pytest.mark.sample(at=(0,))
@pytest.mark.parametrize("place", ["no repository", "no commit", "named by the CI system"])
def test_where_nothing_says_another_branch_every_status_is_compared(
    with_issue: Project, place: str
) -> None:
    by_hand(with_issue, "github", opens=True)
    if place != "no repository":
        with_issue.git("init", "--quiet", "--initial-branch", "main")
        with_issue.configure_more(tables=MAIN)
    if place == "named by the CI system":
        with_issue.git("add", "--all")
        with_issue.git("commit", "--quiet", "--message", "Begin")
        with_issue.git("checkout", "--quiet", "--detach")
        with_issue.extra["GITHUB_REF"] = "refs/heads/main"
    assert (0, "active") == (with_issue.run("sync", "--yes").code, with_issue.metadata()["status"])


@pytest.fixture
def branch(with_issue: Project) -> Project:
    """A branch that was begun after all increments were committed."""
    with_issue.commit()
    with_issue.git("checkout", "--quiet", "-b", "work")
    by_hand(with_issue, "github", opens=True)
    return with_issue


def test_an_increment_that_the_branch_removed_is_named(branch: Project) -> None:
    branch.git("rm", "-r", "--quiet", ".unlatch/increments/0007-smart-discipline")
    branch.git("commit", "--quiet", "--message", "Remove")
    branch.run("sync", "--check", "--changed-since", "main").ends(
        0,
        whole_out="",
        whole_err="note: removed since main, and not compared: 0007-smart-discipline\n",
    )


@pytest.mark.parametrize("name", [".unlatch/config.toml", ".specweave/config.json"])
def test_a_branch_that_changes_the_configuration_changes_every_increment(
    branch: Project, name: str
) -> None:
    path = branch.root / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(path.read_text() + "# more\n" if path.exists() else "{}")
    branch.run("sync", "--check", "--changed-since", "main").ends(
        5,
        out="0007-smart-discipline",
        err=f"note: {name} changed since main: syncing all increments",
    )


def _marked(project: Project, tracker: str, text: str) -> None:
    """A person who may write to the item comments `text`."""
    box = project.box
    if tracker == "github":
        box.github.add_comment("octo/widgets", 4, text, user="octocat")
    elif tracker == "ado":
        box.ado.add_comment(101, f"<div>{text}</div>")
    else:
        box.jira.add_comment("SCRUM-28", text)


@pytest.mark.sample(at=(8,))
@pytest.mark.parametrize("tracker", ["github", "ado", "jira"])
@pytest.mark.parametrize("form", ["unlatch:op={}", "unlatch ref {}", "<!-- unlatch:op={} -->"])
def test_a_comment_that_mentions_an_operation_hides_no_reopen(
    finished: Project, tracker: str, form: str
) -> None:
    by_hand(finished, tracker, opens=True)
    _marked(finished, tracker, f"see {form.format(new_ulid())}")
    finished.run("sync", "--check").ends(5)
    done = finished.run("sync")
    assert (0, "active") == (done.code, finished.metadata()["status"]), done.said


def test_a_reopen_on_another_branch_explains_an_open_item(finished: Project) -> None:
    by_hand(finished, "jira", opens=True)
    # The time in the id is of 1970: the comment's own time counts.
    finished.box.jira.add_comment("SCRUM-28", f"Reopened: more\n\n{visible(new_ulid(0))}")
    done = finished.run("sync")
    assert (0, "completed") == (done.code, finished.metadata()["status"]), done.said


@pytest.mark.parametrize(("days", "expected"), [(29, True), (31, False), (-0.5, True), (-2, False)])
def test_a_comment_explains_an_open_item_for_thirty_days(days: float, expected: bool) -> None:
    now = datetime.now(UTC)
    assert expected is branches._is_recent(now - timedelta(days=days), now)


@pytest.mark.sample(at=(1,))
@pytest.mark.parametrize("named", [(), ("7",)], ids=["all", "named"])
def test_increments_are_synced_only_if_the_branch_changed_them(
    with_issue: Project, named: tuple[str, ...]
) -> None:
    with_issue.increment("0008-other", links={})
    with_issue.commit()
    by_hand(with_issue, "github", opens=True)
    check = ("sync", "--check", *named, "--changed-since")
    untouched = with_issue.run(*check, "main")
    (with_issue.folder() / "tasks.md").write_text("# Tasks, more\n")
    touched = with_issue.run(*check, "main")
    other = with_issue.run("sync", "--check", "8", "--changed-since", "main")
    unknown = with_issue.run(*check, "nowhere")
    assert (0, 5, 0, 2) == (untouched.code, touched.code, other.code, unknown.code), touched.said
    assert "No increments changed since main." in other.err
    assert "unknown-ref" in unknown.err
