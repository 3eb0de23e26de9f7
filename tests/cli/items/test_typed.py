"""Items as people type them, and the undo of their reopens."""

import subprocess
import time
from pathlib import Path

import pytest
from tests.cli.project import OPEN, REASON, Project

from unlatch_sandbox import Fault

ORIGIN = "https://x-access-token:ghs_secret@github.com/octo/widgets.git"
GHE = "https://ghe.example.com/octo/widgets/issues/4"
NUMBERED = "github.com/octo/widgets/issues/"
ISSUE = f"https://{NUMBERED}4"
EMPTY = "Nothing to do: the list on stdin is empty."


def clone(folder: Path, **remotes: str) -> None:
    git = ("git", "-C", str(folder))
    subprocess.run((*git, "init", "-q"), check=True)
    for name, address in remotes.items():
        subprocess.run((*git, "remote", "add", name, address), check=True)


@pytest.mark.sample(at=(0, 1, 2, 6, 8, 9, 10, 11, 13))
@pytest.mark.parametrize(
    ("word", "remotes", "expected"),
    [
        ("#4", {"origin": ORIGIN}, [ISSUE]),
        ("4", {"origin": "git@github.com:octo/widgets.git"}, [ISSUE]),
        (
            "#4",
            {"origin": ORIGIN, "upstream": "https://github.com/main/widgets"},
            [ISSUE, "note: #4 is octo/widgets#4, of origin; that of upstream is main/widgets#4"],
        ),
        ("#4", {"origin": "ssh://git@ghe.example.com:2222/octo/widgets"}, [GHE]),
        ("https://ghe.example.com/octo/widgets/issues/4", {}, [GHE]),
        ("github.com/octo/widgets/issues/4", {}, [ISSUE]),
        ("GitHub.com/octo/widgets/issues/4/", {}, [ISSUE]),
        ("#4", {}, ["'#4' needs a repository, and there is no git remote origin"]),
        (
            "#4",
            {"fork": "https://github.com/dana/widgets", "upstream": ORIGIN},
            ["no git remote origin; other remotes: fork, upstream", "'dana/widgets#4'"],
        ),
        (
            "#4",
            {"origin": "work:acme/tools.git"},
            ["no tracker knows that of origin: work:acme/tools", "repository: 'acme/tools#4'"],
        ),
        (
            "#4",
            {"origin": "https://a:ghs_secret@git.example.com/o/w"},
            [
                "of origin: https://git.example.com",
                "if git.example.com is your GitHub server, set UNLATCH_TRUSTED_HOSTS=github=git.ex",
            ],
        ),
        ("#4", {"origin": "../widgets"}, ["no tracker knows that of origin: ../widgets"]),
        ("4", {}, ["error[no-project]"]),
        ("#0", {"origin": ORIGIN}, ["'#0' names no item"]),
        ("example.com/octo/widgets/issues/4", {}, ["error[no-project]"]),
    ],
)
def test_short_names_mean_items_of_the_repository(
    outside: Project, word: str, remotes: dict[str, str], expected: list[str]
) -> None:
    outside.extra["UNLATCH_TRUSTED_HOSTS"] = "github=ghe.example.com"
    clone(outside.root, **remotes)
    done = outside.run("reopen", word, "--reason", REASON, "--offline", "--json")
    if expected[0] in (ISSUE, GHE):
        (item,) = done.document["items"]
        assert (0, expected[0], "octo/widgets#4") == (done.code, item["url"], item["name"])
    else:
        assert 2 == done.code
    assert [text for text in expected if text not in done.said] == []
    assert "ghs_secret" not in done.said


@pytest.mark.parametrize(
    ("repository", "word", "expected"),
    [
        ("octo/widgets", "#4", ISSUE),
        ("octo/widgets", "4", ISSUE),
        ("github.com/octo/widgets", "#4", ISSUE),
        ("https://ghe.example.com/octo/widgets.git", "#4", GHE),
        ("", "#4", "https://github.com/main/other/issues/4"),
    ],
)
def test_the_repository_that_gh_is_told_comes_before_origin(
    outside: Project, repository: str, word: str, expected: str
) -> None:
    outside.extra |= {"UNLATCH_TRUSTED_HOSTS": "github=ghe.example.com", "GH_REPO": repository}
    clone(outside.root, origin="https://github.com/main/other")
    done = outside.run("reopen", word, "--reason", REASON, "--offline", "--json")
    assert [expected] == [item["url"] for item in done.document["items"]], done.said


@pytest.mark.parametrize("place", ["project", "outside"])
@pytest.mark.parametrize(
    ("address", "expected"),
    [
        (
            "dev.azure.com/fabrikam/widgets/_git/widgets/pullrequest/12",
            ["error[not-a-work-item]", "of a pull request", "work item that the pull request"],
        ),
        (
            "https://ghe.example.com/octo/widgets/issues/4",
            ["ghe.example.com", "next: "],
        ),
    ],
)
def test_an_address_that_no_tracker_may_use_is_an_error_that_says_why(
    request: pytest.FixtureRequest, place: str, address: str, expected: list[str]
) -> None:
    project: Project = request.getfixturevalue(place)
    done = project.run("reopen", address, "--reason", REASON, "--offline")
    assert done.code in (1, 2)
    assert [text for text in expected if text not in done.err] == []
    assert [] == [*project.root.rglob("metadata.json"), *project.home.rglob("metadata.json")]


def test_a_number_alone_is_reopened_on_the_server_of_origin(outside: Project) -> None:
    outside.items("github")
    clone(outside.root, origin=f"{outside.box.github.web_url}/octo/widgets.git")
    done = outside.run("reopen", "4", "--reason", REASON)
    assert (0, "open") == (done.code, outside.states()["github"]), done.said
    assert "note: there are no increments, so 4 is " in done.err


def test_in_a_project_a_number_is_an_increment_and_the_configured_repository_counts(
    project: Project,
) -> None:
    clone(project.root, origin="https://github.com/main/other")
    project.items("github")
    project.increment()
    short = project.run("reopen", "#4", "--reason", REASON)
    project.run("close", "4", "--reason", REASON).ends(
        2, err="for an increment: unlatch complete 4"
    )
    project.run("reopen", "4", "--reason", REASON).ends(2, err="for item 4: unlatch reopen '#4'")
    assert (0, {"github": OPEN["github"]}) == (short.code, project.states()), short.said


@pytest.mark.sample(at=(1,))
@pytest.mark.parametrize("place", ["project", "outside"])
def test_an_undo_closes_the_item_that_a_reopen_opened(
    request: pytest.FixtureRequest, place: str
) -> None:
    project: Project = request.getfixturevalue(place)
    project.items("github")
    url = project.urls["github"]
    never = project.run("undo", url, "--yes")
    project.run("reopen", url, "--reason", REASON)
    project.run("reopen", url, "--reason", "Another reason", "--comment-anyway")

    asked = project.run("undo", url)
    done = project.run("undo", "octo/widgets#4" if place == "project" else url, "-y")
    again = project.run("undo", url, "-y")

    assert (1, 2, 1) == (never.code, asked.code, again.code), never.said
    assert f"next: unlatch undo {url} --yes" in asked.err
    assert (0, "closed") == (done.code, project.states()["github"]), done.said
    assert "undid 2 reopens of the open item" in done.said
    left = "no reopen of" if place == "outside" else f"no increment is linked to {url}, and no"
    again.shows(err=(f"error[nothing-to-undo]: {left}", "left to undo"))
    assert "increment" not in done.said.casefold()
    assert place == "project" or "increment" not in asked.said + again.said


def test_an_undo_of_several_items_says_to_name_one(outside: Project) -> None:
    words = (outside.urls["github"], outside.urls["jira"])
    said = "error[several-items]: undo takes one item that belongs to no increment"
    outside.run("undo", *words, "-y").ends(2, err=(said, f"next: unlatch undo {words[0]}\n"))


def test_an_undo_withdraws_a_reopen_that_was_not_sent(outside: Project) -> None:
    outside.items("github")
    url = outside.urls["github"]
    outside.run("reopen", url, "--reason", REASON, "--offline")
    done = outside.run("undo", url, "-y")
    assert (0, "closed") == (done.code, outside.states()["github"]), done.said
    assert "reopen undone" in outside.run("history", url).out


@pytest.mark.parametrize("reason", [None, "A mistake"])
def test_the_dry_run_of_an_undo_of_what_was_not_sent_announces_its_reason_alone(
    outside: Project, reason: str | None
) -> None:
    outside.items("github")
    url, why = outside.urls["github"], ("--reason", reason) if reason else ()
    outside.run("reopen", url, "--reason", REASON, "--offline")
    outside.run("undo", url, "-y", "--offline", *why)
    outside.box.faults.add(Fault("github", "forbidden", times=99))
    done = outside.run("sync", "--dry-run")
    assert bool(reason) is ("Reopen undone" in done.out), done.said
    assert ("1 comment" if reason else "0 comments") in done.said


def test_an_undo_is_by_whom_git_knows_in_this_folder(outside: Project) -> None:
    outside.items("github")
    outside.git("init", "--quiet")
    outside.git("config", "user.name", "Gil Local")
    url = outside.urls["github"]
    outside.run("reopen", url, "--reason", REASON)
    outside.run("undo", url, "-y").ends(0)
    told = outside.run("history", url).out
    assert "  Gil Local  reopen undone" in told, told


@pytest.mark.sample(at=(0, 1, 3, 4))
@pytest.mark.parametrize(
    ("listed", "code", "said"),
    [
        ("", 0, EMPTY),
        ("\r\n \r\n", 0, "Nothing to do"),
        ("octo/widgets#4\r\n\r\n  SCRUM-28 \r\n", 0, "2 operations recorded"),
        ("\ufeffocto/widgets#4\r\nSCRUM-28", 0, "2 operations recorded"),
        ("octo/widgets#4\nno item\n", 2, "no item"),
        (
            "".join(f"octo/widgets#{n}\nOcto/Widgets#{n}\n{NUMBERED}{n}\n" for n in range(1, 11)),
            0,
            "10 operations recorded",
        ),
        (
            "".join(f"octo/widgets#{number}\n" for number in range(1, 102)),
            2,
            "check the same command with --dry-run, then repeat with --max-items 101",
        ),
    ],
)
def test_a_list_on_stdin_names_the_items(
    outside: Project, listed: str, code: int, said: str
) -> None:
    outside.extra["JIRA_URL"] = "https://jira.example.com"
    words = ("reopen", "-", "--reason", REASON, "--offline")
    outside.run(*words, stdin=listed).ends(code, said)


def test_an_empty_list_is_nothing_to_do(outside: Project) -> None:
    for words in (("undo", "-", "-y"), ("history", "verify", "-"), ("status", "-")):
        outside.run(*words, stdin="\r\n").ends(0, whole_err=f"{EMPTY}\n")


@pytest.mark.sample(count=1)
@pytest.mark.parametrize("form", ["{}/octo/widgets/issues/{}", "#{1}"])
def test_a_list_of_thousands_is_refused_before_any_tracker_is_asked(
    outside: Project, form: str
) -> None:
    web = outside.box.github.web_url
    clone(outside.root, origin=f"{web}/octo/widgets.git")
    listed = "".join(f"{form.format(web, number)}\n" for number in range(1, 10_001))
    began = time.process_time()
    done = outside.run("reopen", "-", "--reason", REASON, "--yes", stdin=listed)
    seconds = time.process_time() - began
    done.ends(2, "10000 items would be written to; the limit is 10")
    assert [] == outside.sent()
    # A second on a machine that does nothing else.
    assert seconds < 5
