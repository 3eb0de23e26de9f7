"""The file of a plan, schemas/plan.schema.json, and what the plan is made for.

It is data of whoever wrote it: only its command is carried out, after a comparison.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from unlatch.errors import UsageError
from unlatch.increments.files.changes.plans import revision_of
from unlatch.increments.records.status_events import LOG
from unlatch.lifecycle.items.repository import read_remotes
from unlatch.project.git.run import ask_git
from unlatch.spi import Capability
from unlatch.worklog.json_text.document import render_new
from unlatch.worklog.text.secrets import find_secret
from unlatch.worklog.times import stamp

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from unlatch.increments.model.increment import Increment
    from unlatch.project.trackers import Trackers
    from unlatch.spi.item import RemoteItem


# Bytes; some thousand items.
LARGEST = 8 << 20


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class PlannedCommand(_Record):
    """The command that the plan is of."""

    name: str = Field(description="its words after unlatch: resume, github close-issue")
    options: dict[str, list[str]] = Field(
        description="its options, each with its values; a flag has none"
    )
    words: list[str] = Field(description="its arguments")


class IncrementBasis(_Record):
    """An increment, or the record of an item, as the plan was made for it."""

    id: str = Field(description="the name of its folder")
    status: str = Field(description="its status")
    last_event: str | None = Field(alias="lastEvent", description="the last event, with its id")
    revision: str = Field(description="a digest of its metadata.json")


class ItemBasis(_Record):
    """An item as the plan was made for it."""

    tracker: str = Field(description="its tracker")
    url: str = Field(description="its address")
    state: str = Field(description="its state")
    since: str | None = Field(description="since when it has that state, if the tracker shows it")
    revision: str | None = Field(description="changes with the item, if the tracker has one")


class SavedPlan(_Record):
    """A dry run that can be approved."""

    # The name of the schema, as in the documents of commands.
    schema_name: Literal["unlatch.plan/1"] = Field(alias="schema", description="what the file is")
    made: str = Field(description="when the plan was made")
    by: str = Field(description="who made it")
    project: str = Field(description="the address of its git remote origin, else its folder")
    accounts: dict[str, str | None] = Field(
        description="the account on each tracker that the plan writes to; null if it is unknown"
    )
    command: PlannedCommand
    increments: list[IncrementBasis] = Field(description="the increments that it is about")
    items: list[ItemBasis] = Field(description="the items that were read for it")
    preview: dict[str, Any] = Field(description="the document of the dry run")


def plan_text(plan: SavedPlan) -> bytes:
    """The content of the file; UsageError `secret-in-text` or `plan-too-long`."""
    value = plan.model_dump(mode="json", by_alias=True)
    for text in _texts(value):
        if kind := find_secret(text):
            message = f"the plan seems to hold {kind}; it was not saved"
            hint = "remove it from the reason, or from the text or address that has it"
            raise UsageError("secret-in-text", message, hint=hint)
    content = render_new(value)
    if len(content) > LARGEST:
        message = f"the plan has {len(content):,} bytes; at most {LARGEST:,} are read"
        raise UsageError("plan-too-long", message, hint="name fewer increments or items")
    return content


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, member in value.items():
            yield key
            yield from _texts(member)
    elif isinstance(value, list):
        for entry in value:
            yield from _texts(entry)


def project_name(root: Path) -> str:
    """The address of the git remote origin, with the folder in the repository; else the root."""
    address = read_remotes(root).get("origin")
    if not address:
        return str(root.resolve())
    _, scheme, rest = address.rpartition("://")
    # git@host:octo/widgets.git and https://host/octo/widgets are one project.
    place = rest if scheme else rest.replace(":", "/", 1)
    place = place.rpartition("@")[2].rstrip("/").removesuffix(".git")
    inside = ask_git(root, "rev-parse", "--show-prefix")
    return f"{place}:{inside.rstrip('/')}" if inside else place


def accounts_of(trackers: Trackers, names: Iterable[str]) -> dict[str, str | None]:
    """The account of the credential for each of these trackers.

    Raises:
        UnlatchError: a tracker cannot be asked.
    """
    return {
        name: trackers.open(name).examine([]).login
        for name in sorted(set(names))
        if Capability.EXAMINE in trackers.registry.manifest(name).capabilities
    }


def increment_basis(increment: Increment) -> IncrementBasis:
    events = LOG.read(increment.folder) if increment.folder.exists() else []
    return IncrementBasis(
        id=increment.id,
        status=increment.status.value,
        lastEvent=f"{LOG.word(events[-1])} {events[-1].id}" if events else None,
        revision=revision_of(increment),
    )


def item_basis(item: RemoteItem) -> ItemBasis:
    return ItemBasis(
        tracker=item.ref.tracker,
        url=item.ref.url,
        state=item.state,
        since=stamp(item.state_since) if item.state_since else None,
        revision=item.revision,
    )
