"""What a message of a tracker tells: the place where items or commits changed.

The readers of `unlatch ingest` decide which changes of an item may change an increment. A message
is a hint to sync, never a fact: nothing of it but the place goes on.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from unlatch.lifecycle.items.places import settings_of_item
from unlatch.patterns import pattern
from unlatch.project.plugins.errors import blaming
from unlatch.project.plugins.loading import load
from unlatch.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from unlatch.project.registry import Registry
    from unlatch.spi import ItemEvent
    from unlatch_fleet.serve.hooks import Hook

# A header with the id of a message, which is the same when it is sent again.
_DELIVERIES = {"github": "x-github-delivery", "jira": "x-atlassian-webhook-identifier"}
_KIND, _PUSH, _BRANCH = "x-github-event", "push", "refs/heads/"
# An address of Azure DevOps' API: of an organization, and perhaps a project's id behind it.
_API = pattern(
    r"(?P<base>https?://.+?)(?:/[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})?/_apis/"
)
_PROJECT = "System.TeamProject"
_ANY = "any"

_Short = Annotated[str, StringConstraints(min_length=1, max_length=255)]


@dataclass(frozen=True, slots=True)
class Place:
    """Where something changed.

    Args:
        tracker: the name of its plugin.
        target: of the item, as `ItemRef.target`; with a slash at its end it stands for all that
            begin with it: the message names no project. Of a push, the repository.
        branch: that was pushed to; None for a changed item.
        is_default: whether it is the repository's default branch.
    """

    tracker: str
    target: str
    branch: str | None = None
    is_default: bool = False


class _Part(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True, hide_input_in_errors=True)


class _Repository(_Part):
    full_name: _Short
    default_branch: _Short


class _Push(_Part):
    """https://docs.github.com/en/webhooks/webhook-events-and-payloads#push."""

    ref: _Short
    repository: _Repository


class _Revision(_Part):
    fields: dict[str, Any] = Field(default_factory=dict)


class _Resource(_Part):
    fields: dict[str, Any] = Field(default_factory=dict)
    revision: _Revision = _Revision()


class _Message(_Part):
    """https://learn.microsoft.com/azure/devops/service-hooks/events."""

    id: _Short | None = None
    resource: _Resource = _Resource()


def delivery_of(hook: Hook, headers: Mapping[str, str], raw: bytes) -> str | None:
    """A digest of a message with an id, the same when it is sent again; None without an id.

    The body counts, too: no signature covers the header, so an id alone could be used up by a
    stranger who saw one message.
    """
    header = _DELIVERIES.get(hook.tracker)
    given = headers.get(header) if header else _message(raw).id
    if not given:
        return None
    return hashlib.sha256(b"\0".join((hook.name.encode(), given.encode(), raw))).hexdigest()


def read_place(
    hook: Hook, headers: Mapping[str, str], raw: bytes, *, registry: Registry
) -> Place | None:
    """The place of a change; None if the message tells of none that a sync reads.

    Raises:
        ValueError: it is not a message of this tracker.
        PluginBroken: the tracker's plugin cannot read it.
    """
    if hook.tracker == "github" and headers.get(_KIND) == _PUSH:
        return _pushed(raw)
    manifest = registry.manifest(hook.tracker)
    target = next(iter(manifest.events.values()))
    read = load(manifest.name, target)
    with blaming(manifest.name, f"reading an event with {target}"):
        event = _read(read, raw)
    if event is None:
        raise ValueError("not a message of this tracker")
    # A sync reads no comments.
    if event.note is not None or event.comment is not None or event.url is None:
        return None
    url, is_whole = event.url, False
    if match := _API.match(url):
        fields = _message(raw).resource
        project = fields.revision.fields.get(_PROJECT) or fields.fields.get(_PROJECT)
        is_whole = not isinstance(project, str)
        url = f"{match['base']}/{_ANY if is_whole else project}/_workitems/edit/1"
    settings = settings_of_item(manifest, url, {})
    ref = settings.recognise(url) if settings else None
    if ref is None:
        raise ValueError("the address of the item is not one of this tracker's")
    return Place(hook.tracker, ref.target.removesuffix(_ANY) if is_whole else ref.target)


def _read(read: Callable[[bytes], ItemEvent], raw: bytes) -> ItemEvent | None:
    try:
        return read(raw)
    except ValueError:
        return None


def _pushed(raw: bytes) -> Place | None:
    try:
        push = _Push.model_validate_json(raw)
    except ValidationError:
        raise ValueError("not a push") from None
    if not push.ref.startswith(_BRANCH):
        return None
    branch, repository = push.ref.removeprefix(_BRANCH), push.repository
    is_default = branch == repository.default_branch
    return Place("github", repository.full_name, branch, is_default)


def _message(raw: bytes) -> _Message:
    try:
        return _Message.model_validate_json(raw)
    except ValidationError:
        return _Message()
