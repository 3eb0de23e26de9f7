"""Settings of a SpecWeave project's config.json, translated to config.toml's.

It names trackers because SpecWeave does. Values of an unexpected shape are ignored: a file of
another program must not stop this one.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from unlatch.errors import StoreError
from unlatch.increments.files.paths import SPECWEAVE
from unlatch.patterns import pattern
from unlatch.worklog.disk.safe_open import read_file
from unlatch.worklog.json_text import load_json

CONFIG = f"{SPECWEAVE}/config.json"
_COUNTS = {"max_active": "maxActiveIncrements", "hard_cap": "hardCap"}
# The parts of `sync.write` that need consent in SpecWeave: for its own items, for older items, and
# for all (config-permissions-guide.md).
_OWN = "canUpsertInternalItems", frozenset({"create", "body", "comment"})
_FOREIGN = "canUpdateExternalItems", frozenset({"body", "comment"})
_ANY = "canUpdateStatus", frozenset({"status", "labels"})
_PARTS = ("status", "comment", "labels", "body", "create")
_PROVIDERS = {"github": "github", "jira": "jira", "ado": "ado", "azuredevops": "ado"}
# The place of a tracker's items; one of these in config.toml defines another place.
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
    ("sync", "autoSync"),
    ("sync", "statusSync", "autoSync"),
    ("sync", "settings", "autoSyncOnCompletion"),
    ("hooks", "post_task_completion", "external_tracker_sync"),
    ("hooks", "post_increment_done", "close_github_issue"),
    ("hooks", "post_increment_done", "sync_to_github_project"),
)

_OWNER = pattern(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")
_REPOSITORY = pattern(r"(?!\.{1,2}$)[A-Za-z0-9._-]{1,100}")
_ORGANIZATION = pattern(r"[A-Za-z0-9][A-Za-z0-9-]{0,63}")
_NAME = pattern(
    r"""[^\x00-\x1f/\\:*?"'<>;#$%{},+=\[\]|\s](?:[^\x00-\x1f/\\:*?"'<>;#$%{},+=\[\]|]{0,62}[^\s.])?"""
)
_HOST = pattern(r"(?:https://)?(?P<host>[a-z0-9-]+(?:\.[a-z0-9-]+)+)/?")
_KEY = pattern(r"[A-Z][A-Z0-9_]{1,30}")
_STATE = pattern(r"\S(?:[^\x00-\x1f\x7f]{0,126}\S)?")

Tables = dict[str, dict[str, Any]]


class SpecWeaveSettings:
    """As `unlatch.config.other_tools` reads them."""

    def settings(self, root: Path, ours: Mapping[str, Any]) -> dict[str, Any]:
        config = read_specweave(root)
        return settings_of(config, ours) if config else {}

    def repositories(self, root: Path) -> Mapping[str, str]:
        return repositories_of(read_specweave(root))


SETTINGS = SpecWeaveSettings()


def read_specweave(root: Path) -> Any:
    """A project's config.json; empty if it cannot be read: SpecWeave reports its own mistakes."""
    try:
        return load_json(read_file(root / CONFIG))
    except (OSError, StoreError, ValueError):
        return {}


def settings_of(config: Any, ours: Mapping[str, Any]) -> dict[str, Any]:
    """The tables `limits`, `trackers` and `sync` with the content of a config.json.

    `ours` is the content of config.toml. Places, states and consents of SpecWeave do not apply if
    it sets the same.
    """
    sync = at(ours, "sync")
    is_set = any(at(sync, key) is not None for key in ("write", "write_foreign"))
    limits = limits_of(config)
    if not any(key in limits and at(ours, "limits", key) is None for key in _COUNTS):
        limits.pop("count_reviews", None)  # the limits that count are not SpecWeave's
    tables = {
        "limits": limits,
        "trackers": _trackers(config, at(ours, "trackers")),
        "sync": {} if is_set else _consents(config),
    }
    return {key: value for key, value in tables.items() if value}


def limits_of(config: Any) -> dict[str, Any]:
    """The table `limits`, without values that are no numbers."""
    theirs = at(config, "limits")
    limits: dict[str, Any] = {ours: _positive(at(theirs, key)) for ours, key in _COUNTS.items()}
    stale = {status: _positive(at(theirs, "staleness", status)) for status in ("active", "paused")}
    limits["count_reviews"] = any(limits.values())
    limits["stale_after"] = {status: days for status, days in stale.items() if days}
    interrupting = at(theirs, "typeBehaviors", "canInterrupt")
    if at(theirs, "allowEmergencyInterrupt") is False:
        limits["can_interrupt"] = []
    elif isinstance(interrupting, list):
        limits["can_interrupt"] = [kind for kind in interrupting if kind and isinstance(kind, str)]
    return {key: value for key, value in limits.items() if value or value == []}


def repositories_of(config: Any) -> dict[str, str]:
    profiles = _items(at(config, "sync", "profiles"))
    places = ((name, _github(_target(profile))) for name, profile in profiles)
    return {name: place["repository"] for name, place in places if place}


def automatic_sync(config: Any) -> tuple[str, ...]:
    """The dotted names of the settings that let SpecWeave write to trackers by itself."""
    if at(config, "sync", "enabled") is False:
        return ()
    return tuple(".".join(path) for path in _AUTOMATIC if at(config, *path) is True)


def unread_profile(config: Any) -> str | None:
    """The name of the active profile, if it gives no tracker's place."""
    sync = at(config, "sync")
    active = at(sync, "activeProfile") or at(sync, "defaultProfile")
    profile = at(sync, "profiles", active)
    tracker = _tracker(_provider(profile))
    is_read = tracker is not None and _READERS[tracker](_target(profile))
    return None if is_read or not active else str(active)


def unused_mappings(config: Any) -> tuple[str, ...]:
    """The dotted names of unused mappings from a status to labels or tags."""
    mappings = at(config, "sync", "statusSync", "mappings")
    return tuple(
        f"sync.statusSync.mappings.{tracker}.{status}.{key}"
        for tracker, states in _items(mappings)
        for status, meaning in _items(states)
        for key in ("labels", "tags")
        if at(meaning, key)
    )


def at(node: Any, *path: Any) -> Any:
    """The value at a path of keys, or None."""
    for step in path:
        node = node.get(step) if isinstance(node, dict) and isinstance(step, str) else None
    return node


def _positive(value: Any) -> int | None:
    return value if type(value) is int and value > 0 else None


def _items(node: Any) -> tuple[tuple[str, Any], ...]:
    return tuple(node.items()) if isinstance(node, dict) else ()


def _consents(config: Any) -> dict[str, list[str]]:
    """The parts that may be written to items, if SpecWeave lacks a consent."""
    given = at(config, "sync", "settings")

    def refused(*consents: tuple[str, frozenset[str]]) -> frozenset[str]:
        return frozenset().union(*(parts for key, parts in consents if at(given, key) is False))

    withheld = {"write": refused(_OWN, _ANY), "write_foreign": refused(_FOREIGN, _ANY)}
    if not any(withheld.values()):
        return {}
    return {key: [part for part in _PARTS if part not in not_] for key, not_ in withheld.items()}


def _trackers(config: Any, configured: Any) -> Tables:
    tables: Tables = {}
    for name, table in _places(config).items():
        if all(at(configured, name, key) is None for key in _PLACES[name]):
            tables[name] = table
    for name, (key, states) in _states(config).items():
        is_used = name in tables or isinstance(at(configured, name), dict)
        if is_used and at(configured, name, key) is None:
            tables.setdefault(name, {})[key] = states
    return tables


def _places(config: Any) -> Tables:
    """The table of each tracker: the place of new items, and the others."""
    places: dict[str, list[dict[str, Any]]] = {"github": _project_places(config)[:1]}
    for provider, target in _targets(config):
        tracker = _tracker(provider)
        if tracker and (place := _READERS[tracker](target)):
            places.setdefault(tracker, []).append(place)
    code = at(config, "repository")
    if not places["github"] and _tracker(at(code, "provider")) == "github":
        # By default the issues are in the repository of the code.
        owner = at(code, "organization") or at(code, "owner")
        places["github"] = [_github({"owner": owner, "repo": at(code, "repo")})]
    return {name: _joined(name, places[name]) for name in _READERS if any(places.get(name, ()))}


def _targets(config: Any) -> Iterator[tuple[Any, Any]]:
    """The trackers that a config.json names, each with its target, the preferred ones first."""
    sync = at(config, "sync")
    active = at(sync, "activeProfile") or at(sync, "defaultProfile")
    profiles = dict(_items(at(sync, "profiles")))
    first = profiles.pop(active, None) if isinstance(active, str) else None
    named = [(_provider(profile), _target(profile)) for profile in (first, *profiles.values())]
    yield named[0]
    yield from _items(sync)
    yield from named[1:]


def _tracker(provider: Any) -> str | None:
    """The tracker of a provider, in any spelling (Azure-DevOps, azure_devops)."""
    word = re.sub(r"[\W_]", "", provider).casefold() if isinstance(provider, str) else ""
    return _PROVIDERS.get(word)


def _target(profile: Any) -> dict[str, Any]:
    """The place in a profile, from its `config` or beside it."""
    return dict((*_items(profile), *_items(at(profile, "config"))))


def _provider(profile: Any) -> Any:
    return at(profile, "provider") or at(profile, "platform")


def _project_places(config: Any) -> list[dict[str, Any]]:
    projects = at(config, "multiProject", "projects")
    names = (at(config, "multiProject", "activeProject"), *(name for name, _ in _items(projects)))
    values = (at(projects, name, "externalTools", "github", "repository") for name in names)
    parts = (value.partition("/") for value in values if isinstance(value, str))
    return [place for owner, _, repo in parts if (place := _github({"owner": owner, "repo": repo}))]


def _joined(name: str, places: list[dict[str, Any]]) -> dict[str, Any]:
    """One table for several places; new items go to the first one."""
    table = places[0]
    single, more = ("repository", "repositories") if name == "github" else ("project", "projects")
    host = next((key for key in ("organization_url", "site") if key in table), None)
    here = places[1:] if host is None else [p for p in places[1:] if p[host] == table[host]]
    others = [place[single] for place in here if place.get(single) not in (None, table.get(single))]
    return {**table, more: list(dict.fromkeys(others))} if others else table


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
    project = project.strip().upper() if isinstance(project, str) else None
    table = {"site": f"https://{host['host']}"}
    return {**table, "project": project} if _fits(project, _KEY) else table


_READERS = {"github": _github, "ado": _ado, "jira": _jira}


def _states(config: Any) -> dict[str, tuple[str, dict[str, str]]]:
    """The setting and the mapped states of each tracker with states of its own."""
    by_tracker = {}
    for tracker, (key, names) in _STATES.items():
        mapping = at(config, "sync", "statusSync", "mappings", tracker)
        states = {}
        for status, name in names.items():
            state = at(mapping, status, "state") or at(mapping, status)
            if _fits(state, _STATE):
                states[name] = state
        if states:
            by_tracker[tracker] = key, states
    return by_tracker


def _fits(value: object, shape: re.Pattern[str]) -> bool:
    return isinstance(value, str) and shape.fullmatch(value) is not None
