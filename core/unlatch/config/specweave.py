"""What a SpecWeave project's config.json says about trackers, in the words of config.toml.

It names trackers because SpecWeave does. Whatever has not the shape that SpecWeave writes is passed
over: the file belongs to another program, and must not keep this one from working.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

# What SpecWeave may not do to items without consent, in the words of `sync.write`: to those that
# it made itself, to those that were there before, and to any (its config-permissions-guide.md).
_OWN = "canUpsertInternalItems", frozenset({"create", "body", "comment"})
_FOREIGN = "canUpdateExternalItems", frozenset({"body", "comment"})
_ANY = "canUpdateStatus", frozenset({"status", "labels"})
_PARTS = ("status", "comment", "labels", "body", "create")
_PROVIDERS = {"github": "github", "jira": "jira", "ado": "ado", "azure-devops": "ado"}
# Where a tracker's items are; whoever sets one of these in config.toml means another place.
_PLACES = {
    "github": ("repository",),
    "ado": ("organization_url", "project", "projects"),
    "jira": ("site", "project", "projects"),
}
_STATES = {
    "ado": ("states", {"active": "reopened", "completed": "completed", "abandoned": "not_planned"}),
    "jira": ("transitions", {"active": "reopen", "completed": "complete", "abandoned": "drop"}),
}
# Settings under which SpecWeave writes to trackers by itself.
_AUTOMATIC = (
    ("sync", "statusSync", "autoSync"),
    ("sync", "settings", "autoSyncOnCompletion"),
    ("hooks", "post_task_completion", "external_tracker_sync"),
    ("hooks", "post_increment_done", "close_github_issue"),
    ("hooks", "post_increment_done", "sync_to_github_project"),
)

_OWNER = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")
_REPOSITORY = re.compile(r"(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}")
_ORGANIZATION = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,63}")
_NAME = re.compile(
    r"""[^\x00-\x1f/\\:*?"'<>;#$%{},+=\[\]|\s](?:[^\x00-\x1f/\\:*?"'<>;#$%{},+=\[\]|]{0,62}[^\s.])?"""
)
_HOST = re.compile(r"(?:https://)?(?P<host>[a-z0-9-]+(?:\.[a-z0-9-]+)+)/?")
_KEY = re.compile(r"[A-Z][A-Z0-9_]{1,30}")
_STATE = re.compile(r"\S(?:[^\x00-\x1f\x7f]{0,126}\S)?")

Tables = dict[str, dict[str, Any]]


def tracker_settings(config: Any, ours: Mapping[str, Any]) -> dict[str, Any]:
    """The tables `trackers` and `sync` that a config.json amounts to.

    Args:
        config: the file's content.
        ours: what config.toml says. Where it names a tracker's place or states, SpecWeave's are
            not for that place; where it says what may be written, SpecWeave's consents are past.
    """
    own = ours.get("trackers")
    own = own if isinstance(own, dict) else {}
    found: Tables = {}
    for name, table in _places(config).items():
        known = own.get(name)
        known = known if isinstance(known, dict) else {}
        if not any(key in known for key in _PLACES[name]):
            found[name] = table
    for name, (key, states) in _states(config).items():
        known = own.get(name)
        if name not in found and not isinstance(known, dict):
            continue
        if not (isinstance(known, dict) and key in known):
            found.setdefault(name, {})[key] = states
    said = ours.get("sync")
    is_said = isinstance(said, dict) and ("write" in said or "write_foreign" in said)
    told = {"trackers": found, "sync": {} if is_said else _consents(config)}
    return {key: value for key, value in told.items() if value}


def repositories_of(config: Any) -> dict[str, str]:
    """The repository on GitHub that each profile names."""
    places = (
        (name, _github(at(one, "config"))) for name, one in _items(at(config, "sync", "profiles"))
    )
    return {name: place["repository"] for name, place in places if place}


def automatic_sync(config: Any) -> tuple[str, ...]:
    """The settings, by their dotted names, under which SpecWeave writes to trackers unasked."""
    if at(config, "sync", "enabled") is False:
        return ()
    return tuple(".".join(path) for path in _AUTOMATIC if at(config, *path) is True)


def unused_mappings(config: Any) -> tuple[str, ...]:
    """Places, by their dotted names, that map a status to labels or tags: nothing reads them."""
    mappings = at(config, "sync", "statusSync", "mappings")
    return tuple(
        f"sync.statusSync.mappings.{tracker}.{status}.{key}"
        for tracker, states in _items(mappings)
        for status, meaning in _items(states)
        for key in ("labels", "tags")
        if at(meaning, key)
    )


def at(node: Any, *path: Any) -> Any:
    """What stands at a path of keys; None where it leads nowhere."""
    for step in path:
        node = node.get(step) if isinstance(node, dict) and isinstance(step, str) else None
    return node


def _items(node: Any) -> tuple[tuple[str, Any], ...]:
    return tuple(node.items()) if isinstance(node, dict) else ()


def _consents(config: Any) -> dict[str, list[str]]:
    """What may be written to items, where SpecWeave was refused something."""

    def refused(*consents: tuple[str, frozenset[str]]) -> frozenset[str]:
        given = at(config, "sync", "settings")
        return frozenset().union(*(parts for key, parts in consents if at(given, key) is False))

    found = {"write": refused(_OWN, _ANY), "write_foreign": refused(_FOREIGN, _ANY)}
    if not any(found.values()):
        return {}
    return {key: [part for part in _PARTS if part not in not_] for key, not_ in found.items()}


def _places(config: Any) -> Tables:
    found: Tables = {}
    for name in _READERS:
        places = list(_profiles(config, name))
        if name == "github" and (repository := _project_repository(config)):
            places.insert(0, {"repository": repository})
        if places:
            found[name] = _joined(name, places)
    return found


def _profiles(config: Any, tracker: str) -> Iterator[dict[str, Any]]:
    """What the profiles of a tracker say, the active one first."""
    active = at(config, "sync", "activeProfile")
    profiles = _items(at(config, "sync", "profiles"))
    for _, profile in sorted(profiles, key=lambda one: one[0] != active):
        provider = at(profile, "provider")
        if isinstance(provider, str) and _PROVIDERS.get(provider) == tracker:
            place = _READERS[tracker](at(profile, "config"))
            if place:
                yield place


def _joined(name: str, places: list[dict[str, Any]]) -> dict[str, Any]:
    """One table of several places: the first is where new items go."""
    table = places[0]
    one, more = ("repository", "repositories") if name == "github" else ("project", "projects")
    host = next((key for key in ("organization_url", "site") if key in table), None)
    others = [
        place[one]
        for place in places[1:]
        if one in place and (host is None or place[host] == table[host])
    ]
    others = [other for other in dict.fromkeys(others) if other != table.get(one)]
    return {**table, more: others} if others else table


def _project_repository(config: Any) -> str | None:
    active = at(config, "multiProject", "activeProject")
    projects = at(config, "multiProject", "projects")
    for project in (active, *(name for name, _ in _items(projects))):
        found = at(projects, project, "externalTools", "github", "repository")
        if isinstance(found, str):
            owner, _, repository = found.partition("/")
            if _OWNER.fullmatch(owner) and _REPOSITORY.fullmatch(repository):
                return found
    return None


def _github(config: Any) -> dict[str, Any]:
    owner, repository = at(config, "owner"), at(config, "repo")
    if _fits(owner, _OWNER) and _fits(repository, _REPOSITORY):
        return {"repository": f"{owner}/{repository}"}
    return {}


def _ado(config: Any) -> dict[str, Any]:
    organization, project = at(config, "organization"), at(config, "project")
    if not _fits(organization, _ORGANIZATION):
        return {}
    table = {"organization_url": f"https://dev.azure.com/{organization}"}
    return {**table, "project": project} if _fits(project, _NAME) else table


def _jira(config: Any) -> dict[str, Any]:
    domain, project = at(config, "domain"), at(config, "projectKey") or at(config, "project")
    host = _HOST.fullmatch(domain.strip().lower()) if isinstance(domain, str) else None
    if host is None:
        return {}
    table = {"site": f"https://{host['host']}"}
    return {**table, "project": project} if _fits(project, _KEY) else table


_READERS: Mapping[str, Callable[[Any], dict[str, Any]]] = {
    "github": _github,
    "ado": _ado,
    "jira": _jira,
}


def _states(config: Any) -> dict[str, tuple[str, dict[str, str]]]:
    """For each tracker with states of its own: the setting, and what SpecWeave maps to them."""
    found = {}
    for tracker, (key, names) in _STATES.items():
        mapping = at(config, "sync", "statusSync", "mappings", tracker)
        states = {
            name: state
            for status, name in names.items()
            if (state := _state(at(mapping, status))) is not None
        }
        if states:
            found[tracker] = key, states
    return found


def _state(meaning: Any) -> str | None:
    state = meaning if isinstance(meaning, str) else at(meaning, "state")
    return state if _fits(state, _STATE) else None


def _fits(value: object, shape: re.Pattern[str]) -> bool:
    return isinstance(value, str) and shape.fullmatch(value) is not None
