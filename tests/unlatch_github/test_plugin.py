"""The effects of operations on the issue and its labels, and their requests, as planned."""

from dataclasses import replace
from datetime import UTC, datetime
from html.parser import HTMLParser
from typing import Any
from urllib.parse import quote, unquote, urlsplit

import pytest
from markdown_it import MarkdownIt
from tests.unlatch_github.making import (
    CLOSE,
    CREATE,
    OP,
    OTHER_OP,
    REOPEN,
    REPOSITORY,
    act,
    bodies,
    closed_issue,
    create,
    draft,
    labels,
    plugin_for,
    ref,
    sent,
    state,
    update,
)

from unlatch.errors import (
    ConfigError,
    Limited,
    Rejected,
    TrackerError,
    UnknownOutcome,
)
from unlatch.spi import Category, Change, Goal, Snapshot, hidden
from unlatch_github import label_problem
from unlatch_github.plugin import GithubPlugin
from unlatch_sandbox import Fault, Sandbox

MISSING = {"message": "Label does not exist"}
FORBIDDEN = {"message": "Resource not accessible by personal access token"}
INVALID = {"message": "Validation Failed", "errors": [{"field": "name", "code": "invalid"}]}


def _refuse(box: Sandbox, method: str, code: int, body: object, **more: Any) -> None:
    box.faults.add(
        Fault("github", "status", method=method, path="/labels", code=code, body=body, **more)
    )


def test_a_label_that_stays_or_is_left_out_silently_is_reported(
    box: Sandbox, plugin: GithubPlugin
) -> None:
    number = closed_issue(box, labels=("completed",))
    _refuse(box, "DELETE", 404, MISSING)

    outcome = act(plugin, ref(box, number), REOPEN)

    assert outcome.after.labels == ("completed", "reopened")
    assert outcome.refused == ()
    assert sent(box)[4:] == [
        f"DELETE /issues/{number}/labels/completed",
        f"GET /issues/{number}/labels",
    ]

    number = closed_issue(box)
    _refuse(box, "POST", 200, [{"name": "bug"}])

    outcome = act(plugin, ref(box, number), REOPEN)

    assert (outcome.after.labels, outcome.refused) == (("bug",), ())


@pytest.mark.parametrize(
    ("code", "body", "why"),
    [
        (403, FORBIDDEN, "the token needs the Triage role"),
        (422, INVALID, "GitHub refused: Validation Failed; name invalid"),
    ],
)
def test_a_refused_label_is_named_and_the_others_are_changed(
    box: Sandbox, plugin: GithubPlugin, code: int, body: object, why: str
) -> None:
    number = closed_issue(box, labels=("completed", "stale"))
    # The request for both, then the one for the first alone.
    _refuse(box, "POST", code, body, times=2)
    _refuse(box, "DELETE", code, body)
    change = replace(
        REOPEN, add_labels=("reopened", "urgent"), remove_labels=("completed", "stale")
    )

    outcome = act(plugin, ref(box, number), change)

    assert set(labels(box, number)) == {"completed", "urgent"} == set(outcome.after.labels)
    assert outcome.refused == ("reopened", "completed")
    assert outcome.notes == (
        f"label reopened not added: {why}",
        f"label completed not removed: {why}",
    )
    assert outcome.commented


@pytest.mark.parametrize(
    ("code", "body", "kind"),
    [
        (500, {"message": "Server Error"}, UnknownOutcome),
        (429, {"message": "Too many requests"}, Limited),
        (403, {"message": "Repository was archived so is read-only."}, Rejected),
    ],
)
def test_other_failures_end_the_write_and_say_which_parts_are_done(
    box: Sandbox, plugin: GithubPlugin, code: int, body: object, kind: type[TrackerError]
) -> None:
    number = closed_issue(box, labels=("completed",))
    _refuse(box, "DELETE", code, body)

    with pytest.raises(kind) as caught:
        act(plugin, ref(box, number), REOPEN)

    done = caught.value.done
    assert done is not None
    assert (done.after.state, done.commented) == ("open", True)
    assert (done.after.labels, done.refused) == (("completed", "reopened"), ())
    assert len(bodies(box, number)) == 1


HOSTILE = (
    'it\'s "broken" --> <!-- unlatch:end --> $& $1 \\1 {braces} @all @octocat #1 GH-2\n'
    "* no list\n\n# no heading <script>alert(1)</script> [a](http://x) `code` ~~x~~ | "
    "\x00\x1b[31m\x07"
)
CLEANED = HOSTILE.replace("\x00\x1b[31m\x07", "")
BEGIN = "<!-- unlatch:begin 0007-smart-discipline -->"
LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)


class _Words(HTMLParser):
    """The visible text of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.seen = ""
        self.tags: set[str] = set()

    def handle_data(self, data: str) -> None:
        self.seen += data

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)


def _read(markdown: str) -> _Words:
    words = _Words()
    words.feed(MarkdownIt("gfm-like", {"linkify": False}).render(markdown))
    return words


@pytest.mark.parametrize(
    ("reason", "category", "deliberate"),
    [
        ("completed", Category.DONE, False),
        (None, Category.DONE, False),
        ("not_planned", Category.DROPPED, True),
        ("duplicate", Category.DROPPED, True),
    ],
)
def test_a_closed_issue_says_how_it_was_closed(
    box: Sandbox, plugin: GithubPlugin, reason: str | None, category: Category, deliberate: bool
) -> None:
    number = box.github.add_issue(title="Smart", state="closed", state_reason=reason)

    item = plugin.read(ref(box, number)).item

    assert (item.state, item.category, item.deliberate) == ("closed", category, deliberate)


def test_a_reopen_costs_four_requests(box: Sandbox, plugin: GithubPlugin) -> None:
    number = closed_issue(box)

    outcome = act(plugin, ref(box, number), REOPEN)

    assert state(box, number) == ("open", "reopened")
    assert bodies(box, number) == [
        f"**Reopened**: Bug discovered in error handling\n\n{hidden(OP)}"
    ]
    assert labels(box, number) == ["bug", "reopened"]
    assert (outcome.after.state, outcome.after.labels) == ("open", ("bug", "reopened"))
    (comment,) = box.github.comments(REPOSITORY, number)
    assert (outcome.commented, outcome.comment) == (True, str(comment["id"]))
    assert (outcome.refused, outcome.notes) == ((), ())
    assert sent(box) == [
        f"GET /issues/{number}",
        f"PATCH /issues/{number}",
        f"POST /issues/{number}/comments",
        f"POST /issues/{number}/labels",
    ]


@pytest.mark.parametrize(
    ("goal", "reason"), [(Goal.COMPLETED, "completed"), (Goal.NOT_PLANNED, "not_planned")]
)
def test_a_close_says_why(box: Sandbox, plugin: GithubPlugin, goal: Goal, reason: str) -> None:
    number = box.github.add_issue(title="Smart", labels=["reopened", "bug"])

    act(plugin, ref(box, number), replace(CLOSE, goal=goal))

    assert (state(box, number), labels(box, number)) == (("closed", reason), ["bug", "completed"])
    assert len(sent(box)) == 5


@pytest.mark.parametrize("goal", [Goal.COMPLETED, Goal.NOT_PLANNED])
def test_a_closed_issue_keeps_the_reason_that_it_was_closed_for(
    box: Sandbox, plugin: GithubPlugin, goal: Goal
) -> None:
    number = closed_issue(box, state_reason="duplicate")

    act(plugin, ref(box, number), replace(CLOSE, goal=goal))

    assert state(box, number) == ("closed", "duplicate")
    assert labels(box, number) == ["bug", "completed"]


LABELS = (
    *("área: núcleo", "area/core", "100%", "a?b#c", "good first issue", "+1", "a%2Fb", "a&b=c"),
    *(".net", "...", "c,d", "\N{BUG} bug", "e\u0301", "<b>", "back\\slash", '"quoted"', "x" * 50),
)


def test_a_label_that_github_cannot_take_is_refused_beforehand() -> None:
    assert [name for name in LABELS if label_problem(name) is not None] == []
    refused = ["", " ", ".", "..", " .. ", "x" * 51]
    assert [name for name in refused if label_problem(name) is not None] == refused


@pytest.mark.parametrize("name", ["area/core b", "100%", "a?b#c"])
def test_a_label_to_remove_is_one_part_of_the_path(
    box: Sandbox, plugin: GithubPlugin, name: str
) -> None:
    number = closed_issue(box, labels=(name, "bug"))
    change = replace(REOPEN, remove_labels=(name,))

    planned = plugin.plan(plugin.read(ref(box, number)), change)

    (url,) = [one.url for one in planned if one.method == "DELETE"]
    assert url.rpartition("/")[::2] == (
        f"{box.github.api_url}/repos/octo/widgets/issues/{number}/labels",
        quote(name, safe=""),
    )
    assert act(plugin, ref(box, number), change).after.labels == ("bug", "reopened")


def test_labels_that_a_person_adds_and_removes_meanwhile_stay_so(
    box: Sandbox, plugin: GithubPlugin
) -> None:
    number = closed_issue(box, labels=("completed",))

    def person() -> None:
        box.github.edit(REPOSITORY, number, labels=["completed", "urgent"])

    box.faults.add(Fault("github", "human", method="POST", path="/labels", action=person))
    outcome = act(plugin, ref(box, number), REOPEN)

    assert sorted(labels(box, number)) == ["reopened", "urgent"]
    assert set(outcome.after.labels) == {"reopened", "urgent"}

    number = closed_issue(box, labels=("completed",))

    def other() -> None:
        box.github.edit(REPOSITORY, number, labels=["reopened"])

    box.faults.add(Fault("github", "human", method="DELETE", action=other))
    outcome = act(plugin, ref(box, number), REOPEN)

    assert labels(box, number) == ["reopened"]
    assert (outcome.after.labels, outcome.notes) == (("reopened",), ())


def test_who_may_not_label_is_told_and_the_rest_is_done(box: Sandbox, plugin: GithubPlugin) -> None:
    box.github.add_repository(REPOSITORY, push=False)
    number = closed_issue(box, labels=("completed",))

    outcome = act(plugin, ref(box, number), REOPEN)

    assert (state(box, number)[0], len(bodies(box, number))) == ("open", 1)
    assert labels(box, number) == ["completed"]
    assert outcome.after.labels == ("completed",)
    assert outcome.refused == ("reopened", "completed")
    assert outcome.notes == (
        "label reopened not added: the token needs the Triage role",
        "label completed not removed: the token needs the Triage role",
    )


@pytest.mark.parametrize(
    ("body", "kept"),
    [
        ("", ""),
        ("By hand.\n", "By hand.\n\n"),
        ("<!-- unlatch:begin --> lost its end", "<!-- unlatch:begin --> lost its end\n\n"),
        ("<!-- unlatch:end --> first", "<!-- unlatch:end --> first\n\n"),
    ],
)
def test_an_update_appends_a_section_where_there_is_none(
    box: Sandbox, plugin: GithubPlugin, body: str, kept: str
) -> None:
    number = box.github.add_issue(title="By hand", body=body)

    for words in ("One", "Two"):
        update(plugin, ref(box, number), draft(body=words), replace(CREATE, add_labels=()))

    assert box.github.issue(REPOSITORY, number)["body"] == (
        f"{kept}{BEGIN}\nTwo\n<!-- unlatch:end -->"
    )


def test_an_update_of_a_snapshot_without_its_body_keeps_what_people_wrote(
    box: Sandbox, plugin: GithubPlugin
) -> None:
    at = ref(box, box.github.add_issue(title="By hand", body="Above."))
    change = replace(CREATE, draft=draft(), add_labels=())
    (snapshot,) = plugin.read_many([at]).values()
    assert isinstance(snapshot, Snapshot)

    plugin.write(snapshot, change)

    assert box.github.issue(REPOSITORY, int(at.id))["body"] == (
        f"Above.\n\n{BEGIN}\nWhat it is about\n<!-- unlatch:end -->"
    )


@pytest.mark.parametrize(
    ("title", "body", "error"),
    [("x" * 257, "", "title-too-long"), ("x", "y" * 65_536, "body-too-long")],
)
def test_what_github_would_not_take_is_not_sent(
    box: Sandbox, plugin: GithubPlugin, title: str, body: str, error: str
) -> None:
    with pytest.raises(Rejected) as caught:
        create(plugin, draft(title=title, body=body), CREATE)

    assert caught.value.id == error
    assert sent(box) == []


def test_a_created_issue_is_found_by_its_marker_on_any_page(
    box: Sandbox, plugin: GithubPlugin
) -> None:
    made = create(plugin, draft(), CREATE).after
    box.github.edit(REPOSITORY, int(made.ref.id), title="Renamed", state="closed")
    # Whoever copies the body into a pull request has not made an issue.
    body = box.github.issue(REPOSITORY, int(made.ref.id))["body"]
    box.github.add_issue(title="A pull request", body=body, pull_request=True)
    for index in range(110):
        box.github.add_issue(title="Smart discipline", body=f"{index} {hidden(OTHER_OP)}")
    box.requests.clear()

    found = plugin.find_created(OP, LONG_AGO)

    assert found is not None
    assert (found.ref, found.title, found.state) == (made.ref, "Renamed", "closed")
    assert sent(box) == ["GET /issues", "GET /issues", f"GET /issues/{made.ref.id}"]


def test_without_a_repository_nothing_is_created_or_looked_for(box: Sandbox) -> None:
    plugin = plugin_for(box, repository=None)

    with pytest.raises(ConfigError):
        create(plugin, draft(), CREATE)
    assert plugin.find_created(OP, LONG_AGO) is None
    assert sent(box) == []


CLOSED = {"state": "closed", "state_reason": "completed", "labels": ("bug", "completed")}
CASES: dict[str, tuple[dict[str, Any], Change]] = {
    "a reopen": (CLOSED, REOPEN),
    "an open issue": ({"labels": ("Reopened",)}, REOPEN),
    "a close": ({"labels": ("reopened",)}, CLOSE),
    "a comment alone": (CLOSED, Change(OP, comment=REOPEN.comment)),
    "nothing to do": ({"labels": ("reopened",)}, replace(REOPEN, comment=None)),
    "hard names": (
        CLOSED,
        replace(REOPEN, add_labels=("needs work/again", "é?"), remove_labels=("bug",)),
    ),
    "an update": (CLOSED, Change(OP, draft=draft("New"))),
}


@pytest.mark.sample(at=(6,))
@pytest.mark.parametrize("case", CASES)
def test_a_plan_lists_the_requests_that_are_sent(
    box: Sandbox, plugin: GithubPlugin, case: str
) -> None:
    facts, change = CASES[case]
    at = ref(box, box.github.add_issue(title="Smart", **facts))
    snapshot = plugin.read(at, change)
    box.requests.clear()

    planned = plugin.plan(snapshot, change)

    assert box.requests.entries() == []
    act(plugin, at, change)
    sent = [(entry.method, entry.path) for entry in box.requests.entries("github")]
    assert sent == [(one.method, unquote(urlsplit(one.url).path)) for one in planned]
