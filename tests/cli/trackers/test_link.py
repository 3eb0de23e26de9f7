"""link and unlink: pasted addresses, new items, and that nothing is posted."""

import re
import shlex
from pathlib import Path

import pytest
from tests.cli.output.test_documents import check
from tests.cli.project import ALL, NAME, Project
from tests.cli.refusing import assert_refused
from tests.cli.setup.foreign_plugin import install
from tests.cli.terminal import Terminal

from unlatch_sandbox import Fault

LINES = {
    "github": '✓ GitHub        octo/widgets#4 "Smart discipline" (closed, assigned to octocat)\n',
    "ado": '✓ Azure DevOps  fabrikam/widgets 101 "Smart discipline" (User Story, Closed)\n',
    "jira": '✓ Jira          SCRUM-28 "Smart discipline" (Epic, Done)\n',
}


def test_pasted_addresses_are_read_shown_and_stored(project: Project) -> None:
    blocks = project.items()
    project.increment()

    done = project.process("link", "0007", *project.urls.values())

    assert (done.code, done.out) == (0, "".join(LINES[name] for name in ALL))
    assert done.err == f"Linked to {NAME}; nothing was posted.\n"
    base = {"local": "completed", "remote": "done"}
    assert {
        "github": {**blocks["github"], "base": {**base, "state": "closed"}},
        "ado": {**blocks["ado"], "base": {**base, "state": "Closed"}},
        "jira": {**blocks["jira"], "base": {**base, "state": "Done"}},
    } == {name: project.metadata()[name] for name in ALL}
    assert [event["event"] for event in project.events()] == ["linked"] * 3
    assert project.wrote() == []


ADDRESSES = [
    ("github", "{github}/octo/widgets/issues/4#issuecomment-12"),
    ("github", "{github}/Octo/Widgets/issues/4?notification_referrer_id=1"),
    ("ado", "{ado}/widgets/_workitems/edit/101/"),
    ("ado", "{ado}/widgets/_boards/board/t/team/Stories/?workitem=101"),
    ("jira", "{jira}/browse/SCRUM-28?focusedCommentId=1"),
    ("jira", "{jira}/jira/software/projects/SCRUM/boards/1?selectedIssue=SCRUM-28"),
]


def test_linking_twice_changes_nothing(project: Project) -> None:
    project.items("github")
    project.increment(status="active")
    done = project.run("link", "7", "octo/widgets#4", project.urls["github"])
    before = project.tree()
    again = project.run("link", "7", project.urls["github"])
    assert (done.code, again.code, before) == (0, 0, project.tree())
    assert done.out.count("octo/widgets#4") == 1
    assert done.err.count("[items-closed]") == 1
    assert "base" not in project.metadata()["github"]  # the sides are not in step


def refused(project: Project, *arguments: str) -> tuple[int, str]:
    """The exit code and id of an error that changed nothing and wrote nothing."""
    before = project.tree()
    done = project.run(*arguments)
    assert before == project.tree()
    assert project.wrote() == []
    assert "\n  next: " in done.err, done.said
    return done.code, done.err.partition("[")[2].partition("]")[0]


def test_an_item_outside_the_targets_or_without_a_right_is_refused(
    project: Project,
) -> None:
    project.box.github.add_repository("octo/secrets")
    project.box.github.add_issue("octo/secrets", number=1, title="Secret")
    project.increment()
    url = f"{project.box.github.web_url}/octo/secrets/issues/1"
    assert refused(project, "link", "7", url) == (2, "target-not-allowed")
    assert project.sent() == []
    project.extra["GITHUB_TOKEN"] = "wrong-token"
    assert refused(project, "link", "7", project.urls["github"])[0] == 4


@pytest.mark.parametrize(
    ("words", "code", "error"),
    [
        (["7", "https://example.com/octo/widgets/issues/4"], 2, "url-unknown"),
        (["7", "{github}/octo/widgets/pull/4"], 2, "url-unknown"),
        (["7", "octo/widgets#4", "9"], 2, "unknown-item"),
        (["nonsense"], 2, "unknown-increment"),
        (["7", "{jira}/browse/SCRUM-28", "{github}/octo/widgets/issues/98"], 1, "item-not-found"),
        (["7", "{github}/octo/widgets/issues/5"], 1, "not-an-issue"),
    ],
)
def test_what_is_no_item_is_refused_and_the_others_are_not_linked_either(
    project: Project, words: list[str], code: int, error: str
) -> None:
    project.items("jira")
    project.box.github.add_issue(number=5, title="Pull", pull_request=True)
    project.increment()
    places = {"github": project.box.github.web_url, "jira": project.box.jira.site}
    assert refused(project, "link", *(word.format(**places) for word in words)) == (code, error)


@pytest.mark.parametrize(
    ("url", "table"),
    [
        (
            "https://github.com/o/r/issues/4",
            '[trackers.github], for example with repository = "o/r"',
        ),
        ("https://acme.atlassian.net/browse/X-1", "[trackers.jira], for example with site = "),
        ("https://dev.azure.com/a/b/_workitems/edit/1", "[trackers.ado], for example with org"),
    ],
)
def test_the_address_of_a_tracker_that_is_not_configured_names_the_table_to_add(
    project: Project, url: str, table: str
) -> None:
    project.increment()
    project.configure("")
    project.run("link", "7", url).ends(
        2, err=("error[tracker-not-configured]", f"next: add a table {table}")
    )


def test_there_has_to_be_something_to_link(project: Project) -> None:
    project.increment()
    assert refused(project, "link", "7") == (2, "link-what")
    project.run("new", "Another")
    address = f"{project.box.github.web_url}/octo/widgets/issues/NUMBER\n"
    for other in ("8", "another"):
        assert f"next: unlatch link 7 {other} {address}" in project.run("link", "7", other).err
    project.configure("")
    assert "next: unlatch link 7 URL\n" in project.run("link", "7").err


@pytest.mark.parametrize("tracker", ALL)
def test_the_next_step_has_an_address_of_the_tracker_and_links_nothing_if_it_is_pasted(
    project: Project, tracker: str
) -> None:
    project.increment()
    project.configure(getattr(project.box, tracker).config())
    project.box.github.add_issue(number=4, title="Unrelated")
    project.box.ado.add_work_item(id=4, title="Unrelated")
    project.box.jira.add_issue("SCRUM-4", summary="Unrelated")
    address = re.sub(r"\d+$", "NUMBER", project.urls[tracker])
    said = project.run("link", "7").err
    assert f"next: unlatch link 7 {address}\n" in said
    before = project.tree()
    pasted = shlex.split(said.partition("next: unlatch ")[2])
    assert refused(project, *pasted) == (2, "url-unknown")
    assert before == project.tree()


@pytest.mark.parametrize(
    ("recognised", "shown"),
    [
        ("number.isdecimal() and prefix", "https://redmine.example.com/issues/NUMBER"),
        ("self and prefix", "URL"),  # takes any word for a number
    ],
)
def test_the_next_step_fits_a_plugin_of_another_author(
    project: Project, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, recognised: str, shown: str
) -> None:
    project.increment()
    project.configure('[trackers.redmine]\nurl = "https://redmine.example.com"')
    monkeypatch.syspath_prepend(tmp_path / "site")
    package = f"foreign_{shown[:5].lower()}"
    install(tmp_path / "site", package, file="settings.py", old="prefix ==", new=f"{recognised} ==")
    assert f"next: unlatch link 7 {shown}\n" in project.run("link", "7").err


def test_a_word_that_is_no_item_is_not_taken_for_an_increment(project: Project) -> None:
    project.increment()
    done = project.run("link", "7", "github:4")
    assert "'github:4' is neither an increment nor the address or name of an item" in done.err
    address = f"{project.box.github.web_url}/octo/widgets/issues/NUMBER\n"
    assert f"next: unlatch link 7 {address}" in done.err


NAMES = {
    "github": ("4", "octo/widgets#4", "#4", "Octo/Widgets#4"),
    "ado": ("101", "fabrikam/widgets 101"),
    "jira": ("SCRUM-28",),
}


def test_unlink_withdraws_the_pending_operations_of_the_item_as_a_dry_run_foresees(
    completed: Project,
) -> None:
    completed.run("resume", "7", "--reason", "Why", "--yes", "--offline")
    before = completed.tree()
    completed.run("unlink", "7", "jira", "--dry-run").shows(
        whole_out=f"✓ {completed.urls['jira']} would be unlinked\n",
        whole_err="Would drop 1 pending operation.\nNothing was written.\n",
    )
    document = check(completed, "unlink", "unlink", "7", "jira", "--dry-run")
    several = check(completed, "unlink-many", "unlink", "7-8", "jira", "--dry-run")
    completed.run("unlink", "7", "SCRUM-99", "--dry-run").ends(2, err="error[unknown-link]")
    assert completed.tree() == before
    assert (document["dropped"], document["dryRun"]) == (1, True)
    assert ([one["dropped"] for one in several["increments"]], several["dryRun"]) == ([1], True)
    assert refused(completed, "unlink", "7", "SCRUM-99") == (2, "unknown-link")
    done = completed.run("unlink", "7", "jira", "--json")
    assert (done.code, done.document["dropped"]) == (0, 1)
    assert [entry["tracker"] for entry in completed.metadata()["pending"]] == ["github", "ado"]


@pytest.mark.parametrize("tracker", ALL)
def test_an_item_can_be_made_and_linked_and_its_title_is_one_line(
    project: Project, tracker: str
) -> None:
    project.increment(status="active")
    title = r"Smart\r\n\tdiscipline\u0007 \u0085 now"
    (project.folder() / "spec.md").write_text(f'---\ntitle: "{title}"\n---\n', encoding="utf-8")
    done = project.run("link", "7", "--create", tracker, "--json").ends(0)
    entry = done.document["trackers"][0]
    assert (entry["tracker"], entry["outcome"]) == (tracker, "created")
    block = project.metadata()[tracker]
    assert entry["url"] == block["url"]
    assert block["base"]["local"] == "active"
    assert "pending" not in project.metadata()
    assert ["Smart discipline now"] == [
        item.title for name in ALL for item in getattr(project.box, name).items()
    ]


@pytest.mark.parametrize("tracker", ALL)
def test_a_second_item_for_the_same_work_is_refused(completed: Project, tracker: str) -> None:
    create = f"create-{'work-item' if tracker == 'ado' else 'issue'}"
    assert refused(completed, tracker, create, "7") == (2, "already-linked")
    assert refused(completed, "link", "7", "--create", tracker) == (2, "already-linked")
    assert completed.run(tracker, create, "7", "--another").code == 0
    assert 2 == len(completed.metadata()[tracker]["items"])


@pytest.mark.parametrize(("answer", "code", "items"), [("y\n", 0, 2), ("n\n", 2, 1)])
def test_at_a_terminal_a_second_item_is_asked_about(
    completed: Project, answer: str, code: int, items: int
) -> None:
    with Terminal(completed, "github", "create-issue", "7") as terminal:
        terminal.answer("Create another? [y/N]: ", answer)
        assert terminal.end() == code
    assert f"! {NAME} is linked to a GitHub issue: {completed.urls['github']}\n" in terminal.text
    assert items == len(completed.box.github.items())


def test_an_item_that_is_still_to_be_created_can_be_withdrawn(project: Project) -> None:
    project.increment(status="active")
    project.extra["GITHUB_TOKEN"] = "wrong-token"
    assert project.run("link", "7", "--create", "github").code == 3
    project.box.requests.clear()
    assert refused(project, "github", "create-issue", "7") == (2, "already-linked")
    project.run("unlink", "7", "octo/widgets").ends(0, err="Dropped 1 pending operation.")
    assert "pending" not in project.metadata()
    assert project.box.github.items() == []


def test_an_item_that_may_have_been_created_cannot_be_withdrawn(project: Project) -> None:
    project.increment(status="active")
    project.box.faults.add(Fault("github", "drop-after", path="issues", method="POST"))
    assert project.run("link", "7", "--create", "github").code == 3
    before = project.tree()
    done = project.run("unlink", "7", "github")
    assert_refused(done, 1, "create-in-doubt")
    assert before == project.tree()
    assert project.run("sync", "7").code == 0
    assert "pending" not in project.metadata()


def test_only_one_item_is_created_at_a_time(project: Project) -> None:
    project.increment(status="active")
    done = project.run("link", "7", "--create", "github", "--create", "jira")
    assert (2, []) == (done.code, project.sent())
    assert "--create takes one tracker: run the command once for each" in done.err


@pytest.mark.sample(at=(3,))
@pytest.mark.parametrize(
    ("tracker", "name"),
    [
        ("github", "octo/widgets#4"),
        ("ado", "fabrikam/widgets 101"),
        ("ado", "  fabrikam/widgets  101 "),
        ("jira", "SCRUM-28"),
    ],
)
def test_a_name_is_linked_and_unlinked_like_an_address(
    project: Project, tracker: str, name: str
) -> None:
    project.items(tracker)
    project.increment()
    project.run("link", "7", name).ends(0, whole_out=LINES[tracker])
    assert project.metadata()[tracker]["url"] == project.urls[tracker]
    assert project.run("unlink", "7", name).code == 0
    assert "base" not in project.metadata().get(tracker, {})
    project.run("link", "--file", "-", stdin=f"7 {name}\n").ends(0)
    assert project.metadata()[tracker]["url"] == project.urls[tracker]
    project.run("new", "--from", name).ends(0)
    assert project.metadata("0008-smart-discipline")[tracker]["url"] == project.urls[tracker]
