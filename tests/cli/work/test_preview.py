"""--dry-run shows the later requests, and changes nothing."""

from collections.abc import Iterator
from urllib.parse import unquote, urlsplit

import pytest
from tests.cli.project import ALL, REASON, Project
from tests.cli.terminal import Terminal

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


def test_a_dry_run_of_finishing_leaves_everything_as_it_is(active: Project) -> None:
    before = list(kept(active))

    done = active.run("abandon", "7", "--reason", REASON, "--dry-run")

    assert (done.code, done.err) == (0, "")
    assert active.wrote() == []
    assert before == list(kept(active))


def test_a_dry_run_of_what_is_done_already_ends_as_the_command(completed: Project) -> None:
    completed.run("complete", "7", "--dry-run").ends(0, out="would stay completed")
    assert (0, []) == (completed.run("complete", "7", "--yes").code, completed.wrote())


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


@pytest.mark.parametrize("command", ["complete", "abandon"])
def test_what_is_announced_of_finishing_is_what_is_then_sent(active: Project, command: str) -> None:
    before = list(kept(active))
    announced = active.run(command, "7", "--reason", REASON, "--dry-run", "--json").document
    assert ([], before) == (active.wrote(), list(kept(active)))
    active.box.requests.clear()
    assert active.run(command, "7", "--reason", REASON).code == 0
    assert sent(active.box) == planned(announced)


def test_items_comment_and_requests_are_shown_a_line_each_where_nobody_looks(
    completed: Project,
) -> None:
    done = completed.run("resume", "7", "--reason", REASON, "--by", "dana", "--dry-run")

    api, boards, site = (
        f"{completed.box.github.api_url}/repos/octo/widgets/issues/4",
        f"{completed.box.ado.organization_url}/_apis/wit/workItems/101",
        f"{completed.box.jira.site}/rest/api/3/issue/SCRUM-28",
    )
    lines = done.out.splitlines()
    at = lines[3].rpartition(", ")[2]
    wide = len(f"{api}/labels/completed")
    patch = "set state to Active, post the comment, add tag reopened, remove tag completed"
    edit = "post the comment, add label reopened, remove label completed"
    move = "take the transition 'In Progress' to 'In Progress'"
    assert lines == [
        "Increment 0007-smart-discipline: completed -> active (dry run)",
        f"    Comment       Reopened: {REASON}",
        "",
        f"                  Increment 0007-smart-discipline, by dana, {at}",
        '    GitHub        octo/widgets#4 "Smart discipline" (closed, assigned to octocat)',
        f"      GET     {api:<{wide}}  read the issue",
        f"      PATCH   {api:<{wide}}  set state to open",
        f"      POST    {f'{api}/comments':<{wide}}  post the comment",
        f"      POST    {f'{api}/labels':<{wide}}  add label reopened",
        f"      DELETE  {f'{api}/labels/completed':<{wide}}  remove label completed",
        '    Azure DevOps  fabrikam/widgets 101 "Smart discipline" (User Story, Closed)',
        f"      GET     {boards:<{wide}}  read the work item",
        f"      PATCH   {boards:<{wide}}  {patch}",
        '    Jira          SCRUM-28 "Smart discipline" (Epic, Done)',
        f"      GET     {site:<{wide}}  read the issue and the transitions that it offers",
        f"      POST    {f'{site}/transitions':<{wide}}  {move}",
        f"      PUT     {site:<{wide}}  {edit}",
        "10 requests to 3 items. Nothing was written.",
    ]


def test_a_narrow_terminal_has_a_line_for_where_and_a_line_for_what(completed: Project) -> None:
    with Terminal(completed, "resume", "7", "--dry-run", columns=80) as terminal:
        assert terminal.end() == 0
    api = f"{completed.box.github.api_url}/repos/octo/widgets/issues/4"
    assert f"      PATCH   {api}\n              set state to open\n" in terminal.text
    assert (
        "              set state to Active, post the comment, add tag reopened, remove\n"
        "              tag completed\n"
    ) in terminal.text


def test_a_narrow_terminal_breaks_a_preview_at_words(completed: Project) -> None:
    reason = "The audit found gaps in the handling of errors, and nobody had seen the minutes"
    options = ("resume", "7", "--dry-run", "--reason", reason)
    with Terminal(completed, *options, columns=60) as terminal:
        assert terminal.end() == 0
    lines = terminal.text.splitlines()
    # Addresses stay whole.
    assert [line for line in lines if len(line) > 60 and "://" not in line] == []
    assert "    Comment       Reopened: The audit found gaps in the" in lines
    assert '    GitHub        octo/widgets#4 "Smart discipline" (closed,' in lines


def test_the_comment_that_is_shown_is_the_one_that_is_posted(completed: Project) -> None:
    reason = 'It\'s "broken" <b>\n\nand `stays` so'
    document = completed.run("resume", "7", "--reason", reason, "--dry-run", "--json").document
    completed.run("resume", "7", "--reason", reason, "--yes")
    (shown,) = {item["comment"] for item in document["items"]}
    op = completed.metadata()["reopenHistory"][0]["id"]
    posted = completed.comments()["jira"][0].removesuffix(f"\n\nunlatch ref {op}")
    assert shown.splitlines()[:-1] == posted.splitlines()[:-1]
    assert shown.rpartition(", ")[0] == posted.rpartition(", ")[0]


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


def test_what_was_closed_on_purpose_is_said_to_stay_closed(completed: Project) -> None:
    completed.box.github.edit("octo/widgets", 4, state="open")
    completed.box.github.edit("octo/widgets", 4, state="closed", state_reason="not_planned")
    done = completed.run("resume", "7", "--dry-run")
    document = completed.run("resume", "7", "--dry-run", "--json").document
    forced = completed.run("resume", "7", "--dry-run", "--json", "--even-if-not-planned").document
    words = "the item was closed deliberately (closed) [deliberately-closed]\n      to reopen it, "
    assert words in done.out
    assert document["items"][0]["error"]["id"] == "deliberately-closed"
    assert [one["method"] for one in document["items"][0]["requests"]] == ["GET"]
    assert forced["items"][0]["error"] is None
    assert "PATCH" in [one["method"] for one in forced["items"][0]["requests"]]


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


def test_offline_nothing_is_read(completed: Project) -> None:
    completed.box.requests.clear()
    completed.run("resume", "7", "--dry-run", "--offline").shows(
        out="3 operations left for unlatch sync. Nothing was written.\n"
    )
    assert completed.sent() == []


def test_an_item_that_others_need_is_said_to_stay_open(active: Project) -> None:
    active.increment(OTHER, status="active", links={"github": active.metadata()["github"]})

    done = active.run("complete", "7", "--dry-run")
    document = active.run("complete", "7", "--dry-run", "--json").document

    assert f"    {active.urls['github']} stays open: {OTHER} needs it\n" in done.out
    assert document["spared"] == [
        {"tracker": "github", "id": "4", "url": active.urls["github"], "neededBy": [OTHER]}
    ]
    assert [item["tracker"] for item in document["items"]] == ["ado", "jira"]


def test_what_is_pending_already_is_shown_with_what_is_new(completed: Project) -> None:
    completed.run("resume", "7", "--reason", "First", "--yes", "--offline")
    completed.run("complete", "7", "--offline")
    completed.run("resume", "7", "--reason", "Second", "--dry-run").shows(
        out=("; whether it was delivered is checked first", " (estimate). Nothing was written.")
    )
    document = completed.run("resume", "7", "--reason", "Second", "--dry-run", "--json").document
    comments = [item["comment"].split("\n")[0] for item in document["items"]]
    # The items were never open for the first reason.
    assert ["Reopened: Second"] * 3 == comments[3:]
    for comment in comments[:3]:
        assert comment.startswith("Asked to reopen on ")
        assert comment.endswith(": First; closed before this item could be reopened")
    since = [item["pendingSince"] is not None for item in document["items"]]
    assert since == [True] * 3 + [False] * 3


def test_an_abandoned_increments_items_are_reopened_only_with_an_option(project: Project) -> None:
    project.increment(status="abandoned", links=project.items())

    kept = project.run("resume", "7", "--dry-run", "--json").document
    reopened = project.run("resume", "7", "--dry-run", "--json", "--reopen-items").document

    assert (kept["increment"]["wouldBe"], kept["items"], kept["requests"]) == ("active", [], 0)
    assert [item["tracker"] for item in reopened["items"]] == ["github", "ado", "jira"]


def test_without_links_nothing_would_be_sent_and_an_archived_increment_comes_back(
    project: Project,
) -> None:
    project.increment()
    project.increment("0008-old", archived=True)
    done, archived = (project.run("resume", number, "--dry-run") for number in ("7", "8"))
    assert done.out.splitlines() == [
        "Increment 0007-smart-discipline: completed -> active (dry run)",
        "No requests to send. Nothing was written.",
    ]
    assert "0008-old: completed -> active, out of the archive (dry run)\n" in archived.out
    assert (project.increments / "_archive/0008-old").is_dir()
