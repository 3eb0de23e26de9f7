"""Comments on a work item with what decides about them, and the people whom closes stand for."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from tests.unlatch_ado.making import MARKER, add_comments, add_noise, plugin_for, ref

from unlatch.spi.history import Asked, Asker, NewComment, Role
from unlatch_ado.api.comment_lines import as_markdown
from unlatch_ado.api.comments import Author
from unlatch_ci.comments.command import Command, Verb
from unlatch_ci.comments.rights import Policy, came_with_close, refusal
from unlatch_sandbox import Sandbox
from unlatch_sandbox.ado import shapes
from unlatch_sandbox.ado.boards import stable_uuid

ITEM = 101
TEAMS: dict[str, Any] = {"triage_groups": ("Core Team",), "write_groups": ("Leads",)}
PEOPLE = ("Ann", "Abe", "Tim", "Wes", "Oda", "Helper [bot]")
# For the author Ann, the assignee Abe, Tim of a team with triage, Wes of one with write, the
# outsider Oda and a service: + may, ! may with --even-if-not-planned, - may not, . is not read.
CLOSINGS: dict[str, tuple[dict[str, Any], str]] = {
    "by its author": ({"by": "Ann"}, "+-++-."),
    "as completed": ({"by": "Wanda"}, "--++-."),
    "as not planned": ({"by": "Wanda", "state": "Removed"}, "--!!-."),
    "as a duplicate": ({"by": "Wanda", "reason": "Duplicate"}, "--!!-."),
    "by a service, dropped": ({"by": "Stale [bot]", "reason": "Obsolete"}, "++++-."),
    "by a pipeline": ({"by": "widgets Build Service"}, "++++-."),
    "by unlatch": ({"by": "Octo Cat"}, "++++-."),
}


@pytest.fixture(autouse=True)
def item(box: Sandbox) -> None:
    box.ado.add_team("Core Team", "Tim")
    box.ado.add_team("Leads", "Wes")
    box.ado.add_work_item(
        id=ITEM, title="Crash", state="Active", created_by="Ann", assigned_to="Abe"
    )


def read(box: Sandbox, comment: int | str, *groups: str) -> Asked | None:
    box.requests.clear()
    return plugin_for(box, **TEAMS).read_asked(ref(box, ITEM), str(comment), groups)


def sent(box: Sandbox) -> list[str]:
    found = [f"{one.method} {one.path}" for one in box.requests.entries("ado")]
    return [one for one in found if "OPTIONS" not in one]


@pytest.mark.sample(at=(0, 2))
@pytest.mark.parametrize("closing", CLOSINGS)
def test_whom_a_close_stands_for(box: Sandbox, closing: str) -> None:
    changes, signs = CLOSINGS[closing]
    box.ado.edit(ITEM, **{"state": "Closed", **changes})
    if closing == "by unlatch":
        box.ado.add_comment(ITEM, f"<p>Completed</p>{MARKER}", "Octo Cat")

    shown = ""
    for user in PEOPLE:
        asked = read(box, box.ado.add_comment(ITEM, "/reopen", user))
        commands = [Command(Verb.REOPEN, "x", even) for even in (False, True)]
        may = [
            asked and refusal(one, asked.asker, asked.close, Policy(), written=asked.written)
            for one in commands
        ]
        shown += "." if asked is None else "+" if may[0] is None else "-" if may[1] else "!"

    assert signs == shown


def test_a_comment_of_an_account_without_an_id_does_not_show_who_closed(
    box: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    identity = shapes.identity

    def without_id(name: str, *more: Any) -> Any:
        return {"displayName": name} if name == "Gone" else identity(name, *more)

    monkeypatch.setattr(shapes, "identity", without_id)
    box.ado.edit(ITEM, state="Closed", by="Gone")
    box.ado.add_comment(ITEM, f"<p>Completed</p>{MARKER}", "Gone")

    asked = read(box, box.ado.add_comment(ITEM, "/reopen", "Ann"))

    assert asked is not None
    assert (asked.close.by, asked.close.closer) == (None, None)


def test_it_has_the_words_and_the_rights_of_the_person(box: Sandbox) -> None:
    box.ado.edit(ITEM, state="Closed", by="Wes")
    number = box.ado.add_comment(ITEM, "<div>/reopen it fails</div>", "Wes")

    asked = read(box, number, "team:Leads", "group:Leads")

    assert asked is not None
    assert (asked.text.strip(), asked.is_open) == ("/reopen it fails", False)
    assert asked.url == f"{ref(box, ITEM).url}#{number}"
    roles, teams = frozenset({Role.TRIAGE, Role.WRITE}), frozenset({"team:Leads"})
    assert asked.asker == Asker(stable_uuid("Wes"), roles, teams, name="Wes", trusted=True)
    assert came_with_close(asked.asker, asked.written, asked.close)
    assert 8 >= len(sent(box)), sent(box)


def test_rights_that_azure_devops_does_not_tell_are_missing(box: Sandbox) -> None:
    box.ado.sees_teams = False

    asked = read(box, box.ado.add_comment(ITEM, "/reopen", "Wes"))

    assert asked is not None
    assert asked.asker == Asker(stable_uuid("Wes"), name="Wes")


def test_all_pages_of_a_team_are_read(box: Sandbox) -> None:
    box.ado.add_team("Leads", *(f"Person {number}" for number in range(100)), "Wes")

    asked = read(box, box.ado.add_comment(ITEM, "/reopen", "Wes"))

    assert asked is not None
    assert Role.WRITE in asked.asker.roles


def test_a_message_with_the_revision_alone_leads_to_its_comment(box: Sandbox) -> None:
    number = box.ado.add_comment(ITEM, "/reopen", "Ann")
    revision = box.ado.work_item(ITEM)["rev"]

    asked = read(box, f"rev-{revision}")

    assert asked is not None
    assert asked.id == str(number)
    assert read(box, f"rev-{revision - 1}") is None
    assert read(box, "rev-99") is None


def test_what_asks_for_nothing_costs_one_request(box: Sandbox) -> None:
    box.ado.add_work_item(id=102, title="Other", created_by="Ann")
    gone = box.ado.add_comment(ITEM, "/reopen", "Ann")
    box.ado.edit_comment(ITEM, gone, None)
    edited = box.ado.add_comment(ITEM, "Thanks", "Ann")
    box.ado.edit_comment(ITEM, edited, "/reopen")
    elsewhere = box.ado.add_comment(102, "/reopen", "Ann")
    own = box.ado.add_comment(ITEM, f"<p>/reopen</p>{MARKER}", "Ann")

    bots = box.ado.add_comment(ITEM, "/reopen", "Helper [bot]")
    for comment in (gone, edited, elsewhere, own, bots):
        assert read(box, comment) is None
        assert len(sent(box)) == 1
    assert read(box, "../../x") is None
    assert sent(box) == []


@pytest.mark.parametrize(
    ("descriptor", "is_person"),
    [
        ("aad.x", True),
        ("msa.x", True),
        ("win.x", True),
        ("svc.x", False),
        ("aadsp.x", False),
        ("new.x", None),
        ("", None),
        (None, None),
    ],
)
def test_the_kind_of_an_account_is_told_by_its_descriptor(
    descriptor: str | None, *, is_person: bool | None
) -> None:
    assert Author("Ann", "1", "a@b", descriptor).is_person is is_person


def test_a_command_that_was_carried_out_is_liked_once(box: Sandbox) -> None:
    number = box.ado.add_comment(ITEM, "/reopen", "Ann")
    plugin = plugin_for(box)

    for _ in range(2):
        plugin.acknowledge(ref(box, ITEM), str(number))

    assert [["Octo Cat", "like"]] == box.ado.reactions(ITEM, number)


@pytest.mark.parametrize(
    ("html", "lines"),
    [
        ("/reopen it\nfails", ["/reopen it fails"]),
        ("<div>Hi</div><div>/reopen <b>it</b> fails</div>", ["Hi", "/reopen it fails"]),
        ("Hi<br>/reopen", ["Hi", "/reopen"]),
        ("<p>Hi</p>\n<p>\n/reopen</p>", ["Hi", "/reopen"]),
        ("<pre><code>\n/reopen</code></pre>/close", [">", "/close"]),
        ("<blockquote><blockquote>x</blockquote>/reopen</blockquote>x", [">", "x"]),
        ("<ul><li>/reopen</li></ul>", [">"]),
        ("<code>/reopen</code>", ["`/reopen`"]),
        ("<q>/reopen</q><dl><dd>/reopen</dd></dl><xmp>/reopen</xmp>", [">", ">", ">"]),
        ("<code>a`</code> b", ["`a'` b"]),
        (
            '<a href="#" data-vss-mention="x">/reopen</a>',
            ["\N{OBJECT REPLACEMENT CHARACTER}/reopen"],
        ),
        ('<img src="x">/reopen', ["\N{OBJECT REPLACEMENT CHARACTER}/reopen"]),
        ("<!-- /close -->x", ["x"]),
        ("<pre>/reopen", [">"]),
        ("&#47;reopen &lt;b&gt;", ["/reopen <b>"]),
        ("", []),
    ],
)
def test_what_is_no_plain_text_becomes_a_quote(html: str, lines: list[str]) -> None:
    assert lines == [line.strip() for line in as_markdown(html).splitlines() if line.strip()]


def test_a_comment_in_markdown_is_read_as_such(box: Sandbox) -> None:
    text = "```\n/close\n```\n/reopen a < b"

    asked = read(box, box.ado.add_comment(ITEM, text, "Ann", format="markdown"))

    assert asked is not None
    assert text == asked.text


@pytest.mark.sweep
def test_new_comments_cost_a_request_for_a_page_of_revisions(box: Sandbox) -> None:
    add_noise(box, range(200, 210))
    for number in range(200, 210):
        add_comments(box, number, 100)
    asking = box.ado.add_comment(ITEM, "<div>Hi</div><div>/reopen</div>", "Ann")
    since = datetime.now(UTC) - timedelta(hours=24)
    box.requests.clear()

    found = list(plugin_for(box).new_comments(since))

    assert 1001 == len(found)
    assert [NewComment(ref(box, ITEM), str(asking), may_ask=True)] == [
        one for one in found if one.may_ask
    ]
    assert 3 >= len(sent(box)), sent(box)
    assert [] == list(plugin_for(box).new_comments(since + timedelta(hours=25)))
