"""A token's permissions are found without writing, as far as GitHub shows them."""

from typing import Any

import pytest
from tests.unlatch_github.making import (
    REPOSITORY,
    closed_issue,
    plugin_for,
    ref,
)

from unlatch.errors import Transient
from unlatch.spi import Access
from unlatch_sandbox import Fault, Sandbox

WRITES = ("reopen", "comment", "label", "create")
ALL = {"read": True, **dict.fromkeys(WRITES, True)}
NONE = {"read": True, **dict.fromkeys(WRITES, False)}
UNKNOWN = {"read": True, **dict.fromkeys(WRITES)}


def _place(box: Sandbox, *, token: str | None = None) -> Access:
    (place,) = plugin_for(box, token=token).examine([]).places
    assert {entry.method for entry in box.requests.entries("github")} <= {"GET", "POST"}
    assert not [
        entry
        for entry in box.requests.entries("github")
        if entry.method == "POST" and not entry.path.endswith("/graphql")
    ]
    return place


@pytest.mark.parametrize("private", [True, False])
@pytest.mark.parametrize(
    ("scopes", "public_rights", "private_rights"),
    [
        ("repo", ALL, ALL),
        ("gist, repo", ALL, ALL),
        ("public_repo", ALL, NONE),
        ("gist, read:org", NONE, NONE),
        ("", NONE, NONE),
    ],
)
def test_a_classic_tokens_scopes_decide(
    box: Sandbox,
    scopes: str,
    public_rights: dict[str, bool],
    private_rights: dict[str, bool],
    *,
    private: bool,
) -> None:
    box.github.scopes = scopes
    box.github.add_repository(REPOSITORY, private=private)

    place = _place(box)

    rights = private_rights if private else public_rights
    assert rights == dict(place.rights)
    assert (place.hint is None) == (rights is ALL)
    assert rights is ALL or "scope" in (place.hint or "")


def test_without_a_role_issues_cannot_be_reopened_or_labelled(box: Sandbox) -> None:
    box.github.add_repository(REPOSITORY, push=False)

    place = _place(box)

    assert dict(place.rights) == {**ALL, "reopen": False, "label": False}
    assert "Triage" in (place.hint or "")
    fine = _place(box, token=box.github.fine_token)
    assert dict(fine.rights) == {**UNKNOWN, "reopen": False, "label": False}


def test_a_fine_grained_token_that_may_not_read_issues_is_told_so(box: Sandbox) -> None:
    box.github.add_repository(REPOSITORY, private=True, issues_read=False)

    place = _place(box, token=box.github.fine_token)

    assert dict(place.rights) == {**NONE, "read": False}
    assert "issues=read" in (place.hint or "")


@pytest.mark.parametrize(("has_graphql", "login"), [(True, "github-actions[bot]"), (False, None)])
def test_an_installation_token_is_no_user(
    box: Sandbox, login: str | None, *, has_graphql: bool
) -> None:
    box.github.has_graphql = has_graphql
    # An installation has no role, with any permissions.
    box.github.add_repository(REPOSITORY, push=False)

    found = plugin_for(box, token=box.github.bot_token).examine([])

    assert login == found.login
    assert dict(found.places[0].rights) == UNKNOWN
    assert "permissions: issues: write" in (found.places[0].hint or "")


@pytest.mark.parametrize(
    ("state", "hint"),
    [({"archived": True}, "unarchive"), ({"has_issues": False}, "switch them on")],
)
def test_a_repository_that_takes_nothing_is_told_to_be_one(
    box: Sandbox, state: dict[str, bool], hint: str
) -> None:
    box.github.add_repository(REPOSITORY, private=True, **state)

    place = _place(box)

    assert dict(place.rights) == NONE
    assert hint in (place.hint or "")


@pytest.mark.parametrize("private", [True, False])
def test_a_renamed_repository_can_be_used_except_for_new_issues(
    box: Sandbox, *, private: bool
) -> None:
    box.github.add_repository(REPOSITORY, private=private)
    box.github.rename_repository(REPOSITORY, "octo/gizmos")

    place = _place(box)

    assert dict(place.rights) == {**ALL, "create": False}
    assert 'set repository = "octo/gizmos"' in (place.hint or "")


def test_every_configured_repository_is_looked_at(box: Sandbox) -> None:
    for name, renamed in (("gadgets", "mallory/gizmos"), ("things", "octo/objects")):
        box.github.add_repository(f"octo/{name}")
        box.github.rename_repository(f"octo/{name}", renamed)
    others = ["octo/nothing", "octo/gadgets", "octo/things", "Octo/Widgets"]

    places = plugin_for(box, repositories=others).examine([]).places

    assert [(place.target, place.rights["read"]) for place in places] == [
        (REPOSITORY, True),
        ("octo/nothing", False),
        ("octo/gadgets", False),
        ("octo/things", True),
    ]
    assert "may see the repository" in (places[1].hint or "")
    assert "mallory/gizmos" in (places[2].hint or "")
    assert dict(places[3].rights) == ALL


def test_linked_issues_that_cannot_be_read_are_remarked_on(box: Sandbox) -> None:
    box.github.add_repository("octo/gadgets")
    fine, gone, moved = (closed_issue(box) for _ in range(3))
    box.github.edit(REPOSITORY, gone, deleted=True)
    box.github.transfer_issue(REPOSITORY, moved, "octo/gadgets")

    found = plugin_for(box).examine([ref(box, number) for number in (fine, gone, moved)])

    assert [(one.id, one.where, one.is_error) for one in found.remarks] == [
        ("item-deleted", f"{REPOSITORY}#{gone}", True),
        ("item-moved", f"{REPOSITORY}#{moved}", True),
    ]
    assert all(one.hint for one in found.remarks)


@pytest.mark.parametrize("path", ["/user", f"/repos/{REPOSITORY}$"])
def test_a_limit_is_no_finding(box: Sandbox, path: str) -> None:
    limit: dict[str, Any] = {"form": "secondary", "seconds": 900}
    box.faults.add(Fault("github", "rate-limit", path=path, times=5, **limit))

    with pytest.raises(Transient):
        plugin_for(box).examine([])
