"""--dry-run shows the later requests, and changes nothing."""

from collections.abc import Iterator
from urllib.parse import unquote, urlsplit

import pytest
from tests.cli.project import ALL, REASON, Project

from unlatch_sandbox import Sandbox

OTHER = "0009-other"


@pytest.fixture
def active(project: Project) -> Project:
    """A project with 0007-smart-discipline under way, its three items open."""
    project.increment(status="active", links=project.items(finished=False))
    return project


def sent(box: Sandbox) -> dict[str, list[tuple[str, str]]]:
    """The requests by tracker."""
    return {
        name: [(one.method, one.path) for one in box.requests.entries(name)]
        for name in ALL
        if box.requests.count(name)
    }


def planned(document: dict[str, object]) -> dict[str, list[tuple[str, str]]]:
    """The requests that a document announces, by tracker."""
    items = document["items"]
    assert isinstance(items, list)
    return {
        item["tracker"]: [
            (one["method"], unquote(urlsplit(one["url"]).path)) for one in item["requests"]
        ]
        for item in items
    }


def kept(project: Project) -> Iterator[object]:
    """Everything that a dry run must leave as it is."""
    yield project.tree()
    yield project.states()
    yield project.labels()
    yield project.comments()


RESUMES = [
    ("resume", "7"),
    ("resume", "7", "--reason", REASON, "--even-if-not-planned", "--json"),
    ("github", "reopen-issue", "7", "--reason", REASON),
    ("jira", "update-issue", "7"),
]


def test_a_dry_run_reads_and_leaves_everything_as_it_is(completed: Project) -> None:
    before = list(kept(completed))
    for command in RESUMES:
        completed.box.requests.clear()
        completed.run(*command, "--dry-run").ends(0, whole_err="")
        assert completed.wrote() == []
        assert completed.box.requests.count() > 0, command
    assert before == list(kept(completed))


@pytest.mark.sample(at=(2,))
@pytest.mark.parametrize(
    "command",
    [
        ("resume", "7", "--reason", REASON),
        ("resume", "7", "--reason", REASON, "--comment", "none"),
        ("ado", "reopen-work-item", "7", "--reason", REASON),
    ],
    ids=" ".join,
)
def test_what_is_announced_is_what_is_then_sent(
    completed: Project, command: tuple[str, ...]
) -> None:
    announced = completed.run(*command, "--dry-run", "--json").document
    completed.box.requests.clear()
    sure = ("--yes",) if command[0] == "resume" else ()
    done = completed.run(*command, *sure, "--json").ends(0)
    assert sent(completed.box) == planned(announced)
    counts = {one["tracker"]: one["requests"] for one in done.document["trackers"]}
    assert counts == {name: len(requests) for name, requests in planned(announced).items()}


def test_a_reason_cannot_act_on_the_terminal_and_its_place_is_shown_without_one(
    single: Project,
) -> None:
    single.run("resume", "7", "--reason", "red \x1b[31m\x07 end", "--dry-run").shows(
        out="    Comment       Reopened: red  end\n"
    )
    single.run("resume", "7", "--dry-run").shows(out="    Comment       Reopened: (the reason)\n")


def test_what_would_be_refused_is_refused_in_the_dry_run_too(single: Project) -> None:
    single.increment("0008-active", status="active")
    blank = ("--reason", "  ")
    for command, code, error in (
        (("resume", "7", *blank), 2, "reason-missing"),
        (("complete", "8", *blank), 2, "reason-missing"),
        (("abandon", "8", *blank), 2, "reason-missing"),
        (("abandon", "7", "--reason", REASON), 1, "transition-refused"),
    ):
        single.run(*command, "--dry-run").ends(code, err=f"error[{error}]", whole_out="")


def test_an_item_that_cannot_be_read_hides_none_of_the_others(completed: Project) -> None:
    completed.extra["GITHUB_TOKEN"] = "wrong"
    done = completed.run("resume", "7", "--dry-run").shows(
        out=(
            "octo/widgets#4 (unknown: ",
            "5 requests to 2 items. 1 item could not be read. Nothing was written.",
        )
    )
    document = completed.run("resume", "7", "--dry-run", "--json").document
    assert (done.code, document["exitCode"]) == (5, 5)
    assert [item["error"] is None for item in document["items"]] == [False, True, True]
    assert [len(item["requests"]) for item in document["items"]] == [0, 2, 3]


def test_a_cause_that_hides_all_items_is_explained_once(project: Project) -> None:
    links = project.items("github")
    for number in (7, 8):
        project.increment(f"{number:04}-widget", links=links)
    project.extra["GITHUB_TOKEN"] = "wrong"

    one = project.run("resume", "7", "--dry-run")
    many = project.run("resume", "7", "8", "--dry-run")
    document = project.run("resume", "7", "8", "--dry-run", "--json").document
    shown = project.run("show", "7")

    assert [one.code, many.code, document["exitCode"], shown.code] == [5, 5, 5, 0]
    assert one.out.endswith("\n1 item could not be read. Nothing was written.\n")
    for done in (one, many, shown):
        assert done.err.startswith("1 item unknown [unauthorized]. Next: ")
        assert 1 == done.said.count("Next: ")


def test_an_abandoned_increments_items_are_reopened_only_with_an_option(project: Project) -> None:
    project.increment(status="abandoned", links=project.items())

    kept = project.run("resume", "7", "--dry-run", "--json").document
    reopened = project.run("resume", "7", "--dry-run", "--json", "--reopen-items").document

    assert (kept["increment"]["wouldBe"], kept["items"], kept["requests"]) == ("active", [], 0)
    assert [item["tracker"] for item in reopened["items"]] == ["github", "ado", "jira"]
