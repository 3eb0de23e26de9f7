"""The webhooks of trackers that send events about the items of a repository, as each lists them.

Sources: docs.github.com/en/rest/repos/webhooks ("List repository webhooks"); learn.microsoft.com,
Azure DevOps REST API, "Subscriptions - List"; developer.atlassian.com, "Webhooks" (the API for
administrators, /rest/webhooks/1.0/webhook).
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Any, cast

from unlatch.errors import UnlatchError
from unlatch.transport import open_transport
from unlatch.values import dataclass
from unlatch_fleet.repository_address import names_in_events

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from pathlib import Path

    from unlatch.project.allowed_targets import LimitedSettings
    from unlatch.project.workspace import Workspace

    # Gets the JSON document at a path below the address of a tracker's API.
    Get = Callable[[str], Any]


class State(StrEnum):
    """The state of the webhooks of a target.

    ACTIVE: at least one sends events of items. FAILING: their last deliveries failed.
    MISSING: none does. UNKNOWN: this token may not list them.
    """

    ACTIVE = "active"
    FAILING = "failing"
    MISSING = "missing"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Webhooks:
    """The webhooks of a target.

    Args:
        why: they are unknown.
    """

    tracker: str
    target: str
    state: State
    why: str | None = None


@dataclass(frozen=True, slots=True)
class _Hook:
    """Whether a webhook is turned on, sends events of items, and last reached its address."""

    is_on: bool
    sends_items: bool
    works: bool


def read_webhooks(
    workspace: Workspace, targets: Mapping[str, Iterable[str]], *, cache: Path
) -> list[Webhooks]:
    """The webhooks of the allowed targets of the configured trackers that have such.

    Args:
        cache: a folder for the caches of SDKs.
    """
    return [
        _state(workspace, tracker, target, cache)
        for tracker, entries in targets.items()
        if tracker in _LISTS and tracker in workspace.settings
        for target in _targets(cast("LimitedSettings", workspace.settings[tracker]), entries)
    ]


def _targets(settings: LimitedSettings, entries: Iterable[str]) -> Iterator[str]:
    """The names of targets, which fleet.toml may give a host, at the configured address."""
    for entry in entries:
        # The shortest: the whole entry looks like a name as well.
        names = reversed(names_in_events(entry))
        yield from [name for name in names if settings.may_reach(name)][:1]


def _state(workspace: Workspace, tracker: str, target: str, cache: Path) -> Webhooks:
    try:
        hooks = [*_LISTS[tracker](_open(workspace, tracker, cache), target)]
    except (UnlatchError, ValueError, LookupError, TypeError, AttributeError) as error:
        why = error.message if isinstance(error, UnlatchError) else "its answer is not understood"
        return Webhooks(tracker, target, State.UNKNOWN, why)
    useful = [hook for hook in hooks if hook.is_on and hook.sends_items]
    if not useful:
        return Webhooks(tracker, target, State.MISSING)
    works = any(hook.works for hook in useful)
    return Webhooks(tracker, target, State.ACTIVE if works else State.FAILING)


def _open(workspace: Workspace, tracker: str, cache: Path) -> Get:
    settings = workspace.settings[tracker]
    transport = open_transport(
        workspace.registry.manifest(tracker),
        settings.base_url,
        env=workspace.environ,
        cache=cache,
        trusted=workspace.trusted_hosts,
        keyring_get=lambda *_: None,
        run=lambda _: None,
    )
    session = transport.session(lambda _: None)
    return lambda path: session.get(f"{settings.base_url}/{path}").json()


def _of_github(get: Get, target: str) -> Iterator[_Hook]:
    for hook in get(f"repos/{target}/hooks?per_page=100"):
        events, last = hook["events"], hook.get("last_response") or {}
        # Without a delivery so far, `code` is null.
        works = last.get("code") is None or last["code"] < _FIRST_ERROR
        yield _Hook(bool(hook["active"]), "issues" in events or "*" in events, works)


def _of_ado(get: Get, _target: str) -> Iterator[_Hook]:
    query = "publisherId=tfs&api-version=7.1"
    for hook in get(f"_apis/hooks/subscriptions?{query}")["value"]:
        status = hook["status"]
        is_on = status in ("enabled", "onProbation", "disabledBySystem")
        works = status == "enabled"
        yield _Hook(is_on, str(hook["eventType"]).startswith("workitem."), works)


def _of_jira(get: Get, _target: str) -> Iterator[_Hook]:
    for hook in get("rest/webhooks/1.0/webhook"):
        sends_items = any(str(event).startswith("jira:issue_") for event in hook["events"])
        yield _Hook(bool(hook["enabled"]), sends_items, works=True)


_FIRST_ERROR = 400
_LISTS: Mapping[str, Callable[[Get, str], Iterator[_Hook]]] = {
    "github": _of_github,
    "ado": _of_ado,
    "jira": _of_jira,
}
