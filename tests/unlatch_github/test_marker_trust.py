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

from unlatch.errors import Limited
from unlatch.spi import Change, hidden
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


def test_an_app_knows_its_own_comments_only_if_github_names_it(box: Sandbox, number: int) -> None:
    plugin = plugin_for(box, token=box.github.bot_token)
    _comment(box, number, "ann")
    act(plugin, ref(box, number), REOPEN)

    named = [one.own for one in plugin.find_comments(ref(box, number), OP)]
    box.github.has_graphql = False
    nameless = plugin_for(box, token=box.github.bot_token)
    unnamed = [one.own for one in nameless.find_comments(ref(box, number), OP)]

    assert (named, unnamed) == ([None, True], [None, None])


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
