"""Comments on an issue with what decides about them, and the people whom closes stand for."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from tests.unlatch_jira.making import OP, plugin_for, ref, sent

from unlatch.spi import visible
from unlatch.spi.history import Asked, Asker, Closer, NewComment, Role
from unlatch_ci.comments.command import Command, Verb
from unlatch_ci.comments.rights import Policy, came_with_close, refusal
from unlatch_jira.api.comment_lines import as_markdown
from unlatch_jira.api.comments import Comment
from unlatch_sandbox import Sandbox
from unlatch_sandbox.jira.shapes import account_id

KEY = "SCRUM-9"
GROUPS = {"triage_groups": ("role:Developers",), "write_groups": ("group:admins",)}
PEOPLE = ("Ann", "Abe", "Tim", "Wes", "Tess", "Oda", "Helper [bot]")
# For the author Ann, the assignee Abe, Tim of a role, Wes of a group, Tess who may transition, the
# outsider Oda and an app: + may, ! may with --even-if-not-planned, - may not, . is not read; then
# the same on Data Center, which does not tell programs from people.
CLOSINGS: dict[str, tuple[dict[str, Any], str, str]] = {
    "by its author": ({"by": "Ann"}, "+-+++-.", "+-+++--"),
    "as completed": ({"by": "Wanda"}, "--+++-.", "--+++--"),
    "as not planned": ({"by": "Wanda", "resolution": "Won't Do"}, "--!!!-.", "--!!!--"),
    "as a duplicate": ({"by": "Wanda", "resolution": "Duplicate"}, "--!!!-.", "--!!!--"),
    "by an app, dropped": ({"by": "Stale [bot]", "resolution": "Won't Do"}, "+++++-.", "--!!!--"),
    "by an automation rule": ({"by": "Automation for Jira"}, "+++++-.", "--+++--"),
    "by unlatch": ({"by": "Octo Cat"}, "+++++-.", "+++++--"),
}


@pytest.fixture(params=["Cloud", "Server"])
def site(box: Sandbox, request: pytest.FixtureRequest) -> Sandbox:
    """An issue of Ann's, for Abe, on a site with a role, a group and one more who may move."""
    box.jira.add_project("SCRUM", deployment=request.param)
    box.jira.add_group("admins", "Wes")
    box.jira.add_role("Developers", "Tim", "group:staff")
    box.jira.allow_moves("Tess")
    box.jira.add_issue(KEY, summary="Crash", status="In Progress", reporter="Ann", assignee="Abe")
    return box


def read(box: Sandbox, comment: str, **more: Any) -> Asked | None:
    box.requests.clear()
    return plugin_for(box, **{**GROUPS, **more}).read_asked(ref(box, KEY), comment)


def close(box: Sandbox, *, by: str, resolution: str | None = None) -> None:
    box.jira.edit(KEY, by=by, status="Done", **({"resolution": resolution} if resolution else {}))


@pytest.mark.sample(at=(8, 12))
@pytest.mark.parametrize("closing", CLOSINGS)
def test_whom_a_close_stands_for(site: Sandbox, closing: str) -> None:
    changes, on_cloud, elsewhere = CLOSINGS[closing]
    signs = on_cloud if site.jira.deployment == "Cloud" else elsewhere
    close(site, **changes)
    if closing == "by unlatch":
        site.jira.add_comment(KEY, f"Completed\n\n{visible(OP)}", "Octo Cat")

    shown = ""
    for user in PEOPLE:
        asked = read(site, site.jira.add_comment(KEY, "/reopen", user))
        commands = [Command(Verb.REOPEN, "x", even) for even in (False, True)]
        may = [
            asked and refusal(one, asked.asker, asked.close, Policy(), written=asked.written)
            for one in commands
        ]
        shown += "." if asked is None else "+" if may[0] is None else "-" if may[1] else "!"

    assert signs == shown


def test_it_has_the_words_and_the_rights_of_the_person(box: Sandbox) -> None:
    box.jira.add_group("admins", "Wes")
    box.jira.add_issue(KEY, summary="Crash", reporter="Ann")
    close(box, by="Wes")
    number = box.jira.add_comment(KEY, "/reopen it fails", "Wes")

    asked = read(box, number)

    assert asked is not None
    assert (asked.text, asked.is_open, asked.visibility) == ("/reopen it fails", False, "")
    assert asked.url == f"{box.jira.site}/browse/{KEY}?focusedCommentId={number}"
    roles = frozenset({Role.TRIAGE, Role.WRITE})
    assert asked.asker == Asker(account_id("Wes"), roles, name="Wes", trusted=True)
    assert came_with_close(asked.asker, asked.written, asked.close)
    assert sent(box) == [
        f"GET /issue/{KEY}/comment/{number}",
        f"GET /issue/{KEY}",
        "GET /myself",
        f"GET /issue/{KEY}/comment",
        "GET /project/SCRUM/statuses",
        "GET /user",
        "GET /project/SCRUM/role",
    ]


@pytest.mark.parametrize("place", ["group", "role"])
def test_a_role_may_have_a_group(box: Sandbox, place: str) -> None:
    box.jira.add_issue(KEY, summary="Crash")
    box.jira.add_group("staff", "Tim")
    box.jira.add_role("Developers", "group:staff" if place == "group" else "Tim")

    asked = read(box, box.jira.add_comment(KEY, "/reopen", "Tim"))

    assert asked is not None
    assert asked.asker.roles == {Role.TRIAGE}


def test_rights_that_jira_does_not_tell_are_missing(box: Sandbox) -> None:
    box.jira.add_group("admins", "Wes")
    box.jira.add_issue(KEY, summary="Crash", reporter="Wes")
    box.jira.allow_moves("Wes")
    box.jira.add_project("SCRUM", can_administer=False)
    box.jira.sees_users = False

    asked = read(box, box.jira.add_comment(KEY, "/reopen", "Wes"))

    assert asked is not None
    assert asked.asker == Asker(account_id("Wes"), frozenset({Role.AUTHOR}), name="Wes")


def test_a_close_of_unlatch_is_told_by_its_comment(box: Sandbox) -> None:
    box.jira.add_issue(KEY, summary="Crash", reporter="Ann")
    by_hand = box.jira.add_comment(KEY, "/reopen", "Ann")
    close(box, by="Octo Cat")

    before = read(box, by_hand)
    box.jira.add_comment(KEY, f"Completed\n\n{visible(OP)}", "Octo Cat")
    after = read(box, by_hand)

    assert before is not None
    assert after is not None
    assert (before.close.closer, after.close.closer) == (Closer.PERSON, Closer.UNLATCH)
    assert [one.own for one in after.marked] == [True]


def test_who_makes_a_closed_issue_a_duplicate_closes_it(box: Sandbox) -> None:
    box.jira.add_issue(KEY, summary="Crash", reporter="Ann")
    close(box, by="Ann")
    box.jira.edit(KEY, by="Wanda", resolution="Duplicate")

    asked = read(box, box.jira.add_comment(KEY, "/reopen", "Ann"))

    assert asked is not None
    assert (asked.close.by, asked.close.dropped) == (account_id("Wanda"), True)


def test_what_asks_for_nothing_costs_one_request(box: Sandbox) -> None:
    box.jira.add_issue(KEY, summary="Crash", reporter="Ann")
    box.jira.add_issue("SCRUM-10", summary="Other", reporter="Ann")
    gone = box.jira.add_comment(KEY, "/reopen", "Ann")
    box.jira.edit_comment(KEY, gone, None)
    elsewhere = box.jira.add_comment("SCRUM-10", "/reopen", "Ann")
    own = box.jira.add_comment(KEY, f"/reopen\n\n{visible(OP)}", "Ann")

    for comment in (own, box.jira.add_comment(KEY, "/reopen", "Helper [bot]")):
        assert read(box, comment) is None
        assert len(sent(box)) == 1
    for comment in (gone, elsewhere):
        assert read(box, comment) is None
        # Whether it is hidden from an anonymous request.
        assert sent(box) == [f"GET /issue/{KEY}/comment/{comment}", "GET /myself"]
    assert read(box, "../../x") is None
    assert sent(box) == []


@pytest.mark.sample(at=(1,))
@pytest.mark.parametrize(
    ("more", "visibility"),
    [
        ({"role": "Service Desk Team"}, "role:Service Desk Team"),
        ({"group": "staff"}, "group:staff"),
        ({"internal": True}, "internal"),
    ],
)
def test_who_alone_sees_it_is_told(box: Sandbox, more: dict[str, Any], visibility: str) -> None:
    box.jira.add_issue(KEY, summary="Crash", reporter="Ann")

    asked = read(box, box.jira.add_comment(KEY, "/reopen", "Ann", **more))

    assert asked is not None
    assert asked.visibility == visibility


@pytest.mark.parametrize("named", [{"identifier": "276f955c"}, {"type": "group", "value": None}])
def test_a_restriction_without_a_name_is_not_for_everybody(named: dict[str, Any]) -> None:
    raw = {"id": "7", "created": "2026-01-01T00:00:00.000+0000", "visibility": named}

    assert Comment(raw).restriction == "restricted"


def document(*blocks: dict[str, Any]) -> dict[str, Any]:
    return {"type": "doc", "version": 1, "content": list(blocks)}


def paragraph(*nodes: dict[str, Any]) -> dict[str, Any]:
    return {"type": "paragraph", "content": list(nodes)}


def words(text: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": text, **more}


BREAK = {"type": "hardBreak"}
CODE = {"marks": [{"type": "code"}]}
LIST = {"type": "listItem", "content": [paragraph(words("/reopen"))]}


@pytest.mark.parametrize(
    ("body", "lines"),
    [
        ("Hello\r\n/reopen it {{fails}}", ["Hello", "/reopen it {{fails}}"]),
        ("{code:java}\n/reopen\n{code}\n/close x", [">", "/close x"]),
        ("{quote}/reopen{quote}", [">"]),
        ("{noformat}\n{code}\n/reopen\n{noformat}", [">"]),
        ("{panel:title=x}\n/reopen", [">"]),
        ("{panel}\n{code}\n{panel}\n/reopen\n{code}\n{panel}\nx", [">", "x"]),
        ("{quote}\n{panel}x{panel}\n/reopen{quote}", [">"]),
        ("bq. /reopen\n/close", [">", "/close"]),
        ("* /reopen", [">"]),
        (document(paragraph(words("Hi"), BREAK, words("/reopen a"))), ["Hi", "/reopen a"]),
        (document(paragraph(words("/reopen", **CODE))), ["`/reopen`"]),
        (document(paragraph(words("a\n\n/reopen\n", **CODE))), ["`a /reopen`"]),
        (document(paragraph(words("`"), words("/x `y", **CODE))), ["``/x 'y`"]),
        (document({"type": "blockquote", "content": [paragraph(words("/reopen"))]}), [">"]),
        (document({"type": "codeBlock", "content": [words("/reopen")]}), [">"]),
        (document({"type": "bulletList", "content": [LIST]}, paragraph(words("x"))), [">", "x"]),
        (
            document(paragraph({"type": "mention", "attrs": {"text": "\n/reopen"}})),
            ["\N{OBJECT REPLACEMENT CHARACTER}/reopen"],
        ),
        (document(paragraph({"type": "emoji"}, words("/reopen"))), ["\ufffc/reopen"]),
        (None, []),
        (document("x"), []),  # type: ignore[arg-type]  # no block
    ],
)
def test_what_is_no_plain_text_becomes_a_quote(body: Any, lines: list[str]) -> None:
    assert lines == [line for line in as_markdown(body).splitlines() if line]


@pytest.mark.sweep
def test_new_comments_cost_a_request_for_a_page_of_issues(box: Sandbox) -> None:
    for number in range(10, 60):
        box.jira.add_issue(f"SCRUM-{number}", summary="Crash")
        for _ in range(20):
            box.jira.add_comment(f"SCRUM-{number}", "Thanks", "Ann")
    box.requests.clear()
    since = datetime.now(UTC) - timedelta(hours=24)

    found = list(plugin_for(box).new_comments(since))

    assert (1000, {False}) == (len(found), {one.may_ask for one in found})
    assert sent(box) == ["GET /search/jql"]


def test_comments_that_a_search_leaves_out_are_read(site: Sandbox) -> None:
    site.jira.add_comment(KEY, "/reopen", "Helper [bot]")
    asking = site.jira.add_comment(KEY, "/reopen", "Ann")
    for _ in range(30):
        site.jira.add_comment(KEY, "Thanks", "Ann")
    since = datetime.now(UTC) - timedelta(hours=24)

    asks = [one for one in plugin_for(site).new_comments(since) if one.may_ask]

    assert NewComment(ref(site, KEY), asking, may_ask=True) in asks
    assert (1 if site.jira.deployment == "Cloud" else 2) == len(asks)
    assert [] == list(plugin_for(site).new_comments(since + timedelta(hours=25)))
