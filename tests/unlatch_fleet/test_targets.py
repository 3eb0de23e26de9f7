"""A repository of the fleet names others in its files: nothing is read or written there."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from unlatch.errors import UsageError
from unlatch.project.allowed_targets import ALLOWED_TARGETS, read_allowed_targets
from unlatch.project.check_trackers import read_settings
from unlatch.project.registry import Registry

if TYPE_CHECKING:
    from tests.unlatch_fleet.repositories import Fleet, Repository

    from unlatch_sandbox import Sandbox

OTHER = "octo/other"


def _config(box: Sandbox, name: str, *, repository: str | None = None) -> str:
    config = box.config().replace('repository = "octo/widgets"', f'repository = "{name}"')
    if repository:
        return config.replace(f'"{name}"', f'"{repository}"')
    return config.replace(f'"{name}"', f'"{name}"\nrepositories = ["{OTHER}"]')


def _changed(repository: Repository, url: str, part: str) -> dict[str, str]:
    """The files of an increment whose link, or pending operation, is the item at an address."""
    place = ".unlatch/increments/0001-part/metadata.json"
    data: dict[str, Any] = json.loads(repository.git("show", f"main:{place}"))
    if part == "link":
        data["github"] = {"issue": int(url.rpartition("/")[2]), "url": url}
    data["pending"][0]["item"] = url
    return {place: json.dumps(data)}


def _requests(box: Sandbox, target: str) -> set[str]:
    """Those to a repository, except whether it is the former name of an allowed one."""
    requests = {f"{entry.method} {entry.path}" for entry in box.requests.entries()}
    asked = f"GET /api/v3/repos/{target}"
    return {request for request in requests if f"/{target}" in request and request != asked}


@pytest.mark.parametrize("part", ["pending", "link", "new items"])
def test_no_file_of_a_repository_reaches_another_one(fleet: Fleet, part: str) -> None:
    box = fleet.box
    box.github.add_repository(OTHER, private=True)
    number = box.github.add_issue(OTHER, title="Theirs", state="closed")
    repository = fleet.add()
    url = f"{box.github.web_url}/{OTHER}/issues/{number}"
    if part == "new items":
        files = {".unlatch/config.toml": _config(box, repository.name, repository=OTHER)}
        files |= _creating(repository)
    else:
        files = {".unlatch/config.toml": _config(box, repository.name)}
        files |= _changed(repository, url, part)
    repository.commit(files)
    fleet.write()
    box.requests.clear()

    done = fleet.unlatch("fleet", "sync", str(fleet.file), "--json").ends(5)

    entry = done.document["repositories"][0]
    assert ("person", "target-not-allowed") == (entry["result"], entry["error"]["id"])
    assert set() == _requests(box, OTHER)
    item = box.github.item(OTHER, number)
    assert item is not None
    assert (False, []) == (item.open, item.comments)
    # The items of the allowed targets are delivered all the same.
    shared = [
        fleet.view(repository, tracker, repository.due[tracker][0]) for tracker in ("ado", "jira")
    ]
    assert [True, True] == [item.open for item in shared]
    assert {"github"} == {p["tracker"] for data in repository.metadata() for p in data["pending"]}


def _creating(repository: Repository) -> dict[str, str]:
    place = ".unlatch/increments/0001-part/metadata.json"
    data: dict[str, Any] = json.loads(repository.git("show", f"main:{place}"))
    del data["github"]
    data["pending"][0] |= {"kind": "create", "item": OTHER}
    return {place: json.dumps(data)}


def test_no_write_follows_a_repository_to_a_name_that_is_not_allowed(fleet: Fleet) -> None:
    repository = fleet.add()
    fleet.write()
    fleet.box.github.rename_repository(repository.name, OTHER)

    done = fleet.unlatch("fleet", "sync", str(fleet.file), "--json").ends(5)

    entry = done.document["repositories"][0]
    assert ("person", "target-not-allowed") == (entry["result"], entry["error"]["id"])
    assert [] == [e.path for e in fleet.box.requests.entries("github") if e.changes]
    assert [("github", False)] == [
        (pending["tracker"], "parkedAt" in pending)
        for data in repository.metadata()
        for pending in data["pending"]
    ]

    # It is delivered once the operator allows the new name.
    fleet.write(targets={"github": [repository.name, OTHER]})
    fleet.unlatch("fleet", "sync", str(fleet.file)).ends(0)
    assert [1] == [len(fleet.box.github.comments(OTHER, int(n))) for n in repository.due["github"]]


@pytest.mark.parametrize("tracker", ["ado", "jira"])
def test_a_project_that_the_repository_configures_is_not_enough(fleet: Fleet, tracker: str) -> None:
    box, repository = fleet.box, fleet.add()
    others = {"ado": ["fabrikam/other"], "jira": ["OTHER"]}
    fleet.write(targets={tracker: others[tracker]})

    done = fleet.unlatch("fleet", "sync", str(fleet.file), "--json").ends(5)

    entry = done.document["repositories"][0]
    assert ("person", "target-not-allowed", 2) == (
        entry["result"],
        entry["error"]["id"],
        entry["written"],
    )
    assert [] == [e.path for e in box.requests.entries(tracker) if e.changes]
    assert not fleet.view(repository, tracker, repository.due[tracker][0]).open


_TRUSTED = {"api_url": "https://github.acme.com/api/v3", "repository": "octo/widgets"}
_GHE = {"api_url": "https://ghe.example.com/api/v3", "repository": "octo/widgets"}
_ACME, _AZURE, _OWN = (
    "https://acme.atlassian.net",
    "https://dev.azure.com",
    "https://ado.example.com",
)
_GATEWAY = {"site": _ACME, "cloud_id": "1234-5678", "project": "SCRUM"}
# What browsers are shown does not count.
_EVIL_SITE = {"site": "https://evil.atlassian.net", "web_url": _ACME, "project": "SCRUM"}


def _azure(url: str) -> dict[str, str]:
    return {"organization_url": url, "web_url": f"{_AZURE}/fabrikam", "project": "widgets"}


# A tracker's table, the entry in fleet.toml, and whether it allows the table's target.
ADDRESSES: list[tuple[str, dict[str, str], str, bool]] = [
    ("github", {"repository": "octo/widgets"}, "Octo/Widgets", True),
    ("github", {"repository": "octo/widgets"}, "github.com/octo/widgets", True),
    ("github", {"repository": "octo/widgets"}, "octo/widgets2", False),
    ("github", _GHE, "octo/widgets", False),
    ("github", _TRUSTED, "octo/widgets", True),
    ("github", _GHE, "ghe.example.com/octo/widgets", True),
    ("jira", {"site": _ACME, "project": "SCRUM"}, "acme.atlassian.net/SCRUM", True),
    ("jira", {"site": _ACME, "project": "SCRUM"}, "SCRUM", False),
    ("jira", {"site": "https://jira.acme.com", "project": "SCRUM"}, "SCRUM", False),
    ("jira", _EVIL_SITE, "acme.atlassian.net/SCRUM", False),
    ("jira", _GATEWAY, "acme.atlassian.net/SCRUM", False),
    ("jira", _GATEWAY, "api.atlassian.com/ex/jira/1234-5678/SCRUM", True),
    ("ado", _azure(f"{_AZURE}/fabrikam"), "fabrikam/widgets", True),
    ("ado", _azure(f"{_AZURE}/evil"), "fabrikam/widgets", False),
    ("ado", _azure(f"{_AZURE}/evil/fabrikam"), "fabrikam/widgets", False),
    ("ado", _azure("https://fabrikam.visualstudio.com"), "fabrikam/widgets", True),
    ("ado", _azure(f"{_OWN}/tfs/fabrikam"), "fabrikam/widgets", False),
    ("ado", _azure(f"{_OWN}/tfs/fabrikam"), "ado.example.com/tfs/fabrikam/widgets", True),
]


@pytest.mark.parametrize(("tracker", "table", "entry", "is_allowed"), ADDRESSES)
def test_a_target_is_allowed_at_the_address_of_its_requests(
    tracker: str, table: dict[str, str], entry: str, is_allowed: bool
) -> None:
    manifest = Registry().manifest(tracker)
    settings, problems = read_settings(manifest, table, is_own=True)
    environ = {ALLOWED_TARGETS: json.dumps({tracker: [entry]})}
    allowed = read_allowed_targets(environ, {"github": ["github.acme.com"], "jira": ["*.acme.com"]})
    assert (settings is not None, ()) == (True, problems)
    assert settings is not None
    assert allowed is not None
    assert is_allowed is allowed.has(manifest, settings, settings.target)


_DEEP = "[" * 100_000


@pytest.mark.parametrize("given", ["", "[]", "{", '{"github": 3}', "null", _DEEP], ids=len)
def test_a_list_of_targets_that_is_not_understood_allows_nothing(given: str) -> None:
    with pytest.raises(UsageError, match="targets-invalid"):
        read_allowed_targets({ALLOWED_TARGETS: given}, {})
