"""A marker counts by who posted it: a stranger may know an operation's id and copy it."""

from datetime import UTC, datetime

import pytest
from tests.unlatch_github.making import (
    OP,
    OTHER_OP,
    REOPEN,
    REPOSITORY,
    act,
    closed_issue,
    create,
    draft,
    plugin_for,
    ref,
    sent,
)

from unlatch.errors import Forbidden, Limited
from unlatch.spi import Change, CommentRef, hidden
from unlatch_github.plugin import GithubPlugin
from unlatch_sandbox import Fault, Sandbox

LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)
STRANGER = "mallory"
LOOKUPS = ["GET /api/v3/user", f"GET /collaborators/{STRANGER}/permission"]


@pytest.fixture
def number(box: Sandbox) -> int:
    return closed_issue(box)


def _comment(box: Sandbox, number: int, user: str, op: str = OP) -> str:
    return str(box.github.add_comment(REPOSITORY, number, f"me too\n\n{hidden(op)}", user))


def _found(box: Sandbox, plugin: GithubPlugin, number: int) -> list[str]:
    box.requests.clear()
    return [comment.id for comment in plugin.find_comments(ref(box, number), OP)]


def test_a_strangers_marker_does_not_count(box: Sandbox, plugin: GithubPlugin, number: int) -> None:
    box.github.add_person(STRANGER)
    _comment(box, number, STRANGER)

    assert _found(box, plugin, number) == []
    assert sent(box) == [f"GET /issues/{number}/comments", *LOOKUPS]
    assert plugin.find_ops(ref(box, number)) == ()


@pytest.mark.parametrize("association", ["OWNER", "MEMBER", "COLLABORATOR"])
def test_an_insiders_marker_counts_unasked(
    box: Sandbox, plugin: GithubPlugin, number: int, association: str
) -> None:
    box.github.add_person("ann", association=association)
    comment = _comment(box, number, "ann")

    assert _found(box, plugin, number) == [comment]
    assert sent(box) == [f"GET /issues/{number}/comments"]


def test_an_apps_marker_counts_unasked(box: Sandbox, plugin: GithubPlugin, number: int) -> None:
    comment = _comment(box, number, "renovate[bot]")

    assert _found(box, plugin, number) == [comment]
    assert sent(box) == [f"GET /issues/{number}/comments"]


@pytest.mark.parametrize(
    ("role", "counts"),
    [
        ("admin", True),
        ("maintain", True),
        ("write", True),
        ("triage", True),
        ("read", False),
        ("none", False),
    ],
)
@pytest.mark.parametrize("association", ["CONTRIBUTOR", "FIRST_TIMER", "NONE"])
def test_others_are_judged_by_their_role(
    box: Sandbox, plugin: GithubPlugin, number: int, association: str, role: str, *, counts: bool
) -> None:
    box.github.add_person(STRANGER, role=role, association=association)
    comment = _comment(box, number, STRANGER)

    assert _found(box, plugin, number) == ([comment] if counts else [])


def test_an_account_is_asked_about_once_and_only_if_it_posted_a_marker(
    box: Sandbox, plugin: GithubPlugin, number: int
) -> None:
    for login in (STRANGER, "oscar"):
        box.github.add_person(login)
    box.github.add_comment(REPOSITORY, number, "no marker", "oscar")
    _comment(box, number, "oscar", OTHER_OP)
    for _ in range(2):
        _comment(box, number, STRANGER)

    assert _found(box, plugin, number) == []
    assert plugin.find_comments(ref(box, number), OP) == ()

    comments = f"GET /issues/{number}/comments"
    assert sent(box) == [comments, *LOOKUPS, comments]


@pytest.mark.parametrize("code", [403, 404, 500])
def test_a_role_that_cannot_be_determined_counts_with_a_note(
    box: Sandbox, plugin: GithubPlugin, number: int, code: int
) -> None:
    box.github.add_person(STRANGER)
    comment = _comment(box, number, STRANGER)
    answer = {"message": "Must have push access to view collaborator permission."}
    box.faults.add(Fault("github", "status", path="/permission", times=9, code=code, body=answer))

    (found,) = plugin.find_comments(ref(box, number), OP)

    assert found.id == comment
    assert found.note is not None
    assert STRANGER in found.note
    assert f"{REPOSITORY}/issues/{number}#issuecomment-{comment}" in found.note
    assert plugin.find_ops(ref(box, number)) == (OP,)


def test_a_limit_on_the_lookup_is_no_reason_to_count(
    box: Sandbox, plugin: GithubPlugin, number: int
) -> None:
    box.github.add_person(STRANGER)
    _comment(box, number, STRANGER)
    box.faults.add(
        Fault("github", "rate-limit", path="/permission", times=9, form="secondary", seconds=900)
    )

    with pytest.raises(Limited):
        plugin.find_comments(ref(box, number), OP)


def test_the_tokens_own_comments_count_whatever_its_role(
    box: Sandbox, plugin: GithubPlugin, number: int
) -> None:
    box.github.add_person("octocat", role="read")
    act(plugin, ref(box, number), REOPEN)

    assert len(_found(box, plugin, number)) == 1
    assert sent(box) == [f"GET /issues/{number}/comments", "GET /api/v3/user"]


def test_of_several_comments_the_own_ones_are_known(
    box: Sandbox, plugin: GithubPlugin, number: int
) -> None:
    others = _comment(box, number, "ann")
    act(plugin, ref(box, number), REOPEN)

    found = plugin.find_comments(ref(box, number), OP)

    assert [(one.id == others, one.own, one.note) for one in found] == [
        (True, False, None),
        (False, True, None),
    ]


def test_one_comment_alone_is_not_asked_about(
    box: Sandbox, plugin: GithubPlugin, number: int
) -> None:
    act(plugin, ref(box, number), REOPEN)
    box.requests.clear()

    (found,) = plugin.find_comments(ref(box, number), OP)

    assert found.own is None
    assert sent(box) == [f"GET /issues/{number}/comments"]


def test_an_app_knows_its_own_comments_only_if_github_names_it(box: Sandbox, number: int) -> None:
    plugin = plugin_for(box, token=box.github.bot_token)
    _comment(box, number, "ann")
    act(plugin, ref(box, number), REOPEN)

    named = [one.own for one in plugin.find_comments(ref(box, number), OP)]
    box.github.has_graphql = False
    nameless = plugin_for(box, token=box.github.bot_token)
    unnamed = [one.own for one in nameless.find_comments(ref(box, number), OP)]

    assert (named, unnamed) == ([None, True], [None, None])


def test_operations_are_listed_oldest_first_without_those_of_strangers(
    box: Sandbox, plugin: GithubPlugin, number: int
) -> None:
    box.github.add_person(STRANGER)
    _comment(box, number, "ann", OTHER_OP)
    _comment(box, number, STRANGER, f"{OP[:-1]}7")
    _comment(box, number, "ann", OP)

    assert plugin.find_ops(ref(box, number)) == (OTHER_OP, OP)


def test_a_strangers_issue_is_not_adopted(box: Sandbox, plugin: GithubPlugin) -> None:
    box.github.add_person(STRANGER)
    made = create(plugin, draft(), Change(OP)).after
    box.github.add_issue(title="Smart discipline", body=hidden(OP), author=STRANGER)
    box.github.add_issue(title="Another", body=hidden(OTHER_OP), author=STRANGER)

    found = plugin.find_created(OP, LONG_AGO)

    assert found is not None
    assert found.ref == made.ref
    assert plugin.find_created(OTHER_OP, LONG_AGO) is None
    assert [set(one.ops) for one in plugin.list_items(None)] == [set(), set(), {OP}]


def test_an_issue_that_a_person_without_a_role_created_is_found_by_that_person(
    box: Sandbox, plugin: GithubPlugin
) -> None:
    box.github.add_person("octocat", role="none")
    made = create(plugin, draft(), Change(OP)).after

    found = plugin.find_created(OP, LONG_AGO)

    assert found is not None
    assert found.ref == made.ref


def test_a_comment_that_may_not_be_deleted_is_forbidden(
    box: Sandbox, plugin: GithubPlugin, number: int
) -> None:
    comment = _comment(box, number, "ann")
    answer = {"message": "Must have admin rights to Repository."}
    box.faults.add(Fault("github", "status", method="DELETE", code=403, body=answer))

    with pytest.raises(Forbidden):
        plugin.retract_comment(ref(box, number), CommentRef(comment, LONG_AGO))
