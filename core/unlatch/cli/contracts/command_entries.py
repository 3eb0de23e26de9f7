"""The parts of documents that only one command prints."""

from typing import Any, Literal

from typing_extensions import TypedDict

from unlatch.cli.contracts.entries import (
    ERROR,
    ITEM,
    DeliveryEntry,
    Failure,
    ItemEntry,
    Text,
    each,
    entry,
    list_of,
)
from unlatch.increments.model.status import Status

# Linking many

TieEntry = entry(
    "TieEntry",
    "An increment, and the items that a file links to it.",
    id=str,
    **each(list_of(ItemEntry), "linked", "already"),
    **ERROR,
)
ProposedItem = entry(
    "ProposedItem", "An item that may be an increment's.", id=str, url=str, title=str
)
ProposalEntry = entry(
    "ProposalEntry",
    "Items of one tracker that may belong to an increment.",
    **each(str, "increment", "tracker", "ground"),
    clear=bool,
    items=list_of(ProposedItem),
)
TrackerProblem = entry(
    "TrackerProblem",
    "The error of one tracker.",
    **each(str, "id", "message"),
    hint=Text,
    tracker=str,
)

# Sync

ComparedEntry = entry(
    "ComparedEntry",
    "A link, and the state of both sides.",
    increment=str,
    status=Status,
    **ITEM,
    name=str,
    **each(Text, "state", "category"),
    **each(str, "verdict", "why"),
    **ERROR,
)
MoveEntry = entry(
    "MoveEntry",
    "An increment that follows its items.",
    increment=str,
    **each(Status, "before", "after"),
    **each(str, "by", "reason"),
    **ERROR,
)
SyncedIncrement = entry(
    "SyncedIncrement",
    "An increment whose items were updated.",
    id=str,
    trackers=list_of(DeliveryEntry),
    left=int,
)
CommitEntry = entry(
    "CommitEntry",
    "The published commit, or the error.",
    **each(Text, "commit", "branch"),
    increments=list[str],
    proposal=Text,
    error=Failure | None,
)
MessageEntry = entry(
    "EventEntry",
    "An event of a tracker, and the increments that it is about.",
    **each(str, "tracker", "action"),
    **each(Text, "url", "by"),
    increments=list[str],
    note=Text,
)

# Files, and git

ClashEntry = entry(
    "ClashEntry",
    "A field that both sides of a merge changed, differently.",
    field=str,
    **each(Any, "ours", "theirs"),
)
GitEntry = entry(
    "GitEntry",
    "How git is set up to merge increments.",
    attributes=list[str],
    driver=bool,
    foreign=Text,
)
MovedFolder: Any = TypedDict("MovedFolder", {"from": str, "to": str})
ChangedFile = entry(
    "ChangedFile",
    "A file that changes, and how; null for one that is put back as it was.",
    path=str,
    diff=Text,
    deleted=bool,
)
LeftFile = entry("LeftFile", "A file that is left as it is.", path=str, why=str)

# Setup

TokenSource = entry(
    "TokenSource",
    "Where a tracker's token comes from.",
    **each(str, "tracker", "host"),
    **each(Text, "source", "user", "hint"),
)
PluginEntry = entry(
    "PluginEntry",
    "A tracker that unlatch knows.",
    **each(str, "name", "title", "noun"),
    capabilities=list[str],
    ready=bool,
    extra=Text,
    requirement=str,
)
SettingEntry = entry(
    "SettingEntry", "A setting, and where its value came from.", key=str, value=Any, source=str
)
FindingEntry = entry(
    "FindingEntry",
    "A finding of doctor.",
    severity=Literal["error", "warning", "note"],
    **each(str, "id", "message"),
    **each(Text, "where", "hint", "increment"),
)
PlaceEntry = entry(
    "PlaceEntry",
    "The permissions of a credential in one place; null where only a write shows it.",
    target=str,
    rights=dict[str, bool | None],
)
AccessEntry = entry(
    "AccessEntry",
    "What a credential can access on a tracker.",
    tracker=str,
    login=Text,
    places=list_of(PlaceEntry),
)
FixEntry = entry(
    "FixEntry",
    "A file that the doctor fixes, and how.",
    id=str,
    increment=Text,
    **each(str, "path", "diff"),
    done=bool,
)
