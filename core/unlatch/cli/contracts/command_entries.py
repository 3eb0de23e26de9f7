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
    entry,
    list_of,
)
from unlatch.increments.model.status import Status

# Linking many

TieEntry = entry(
    "TieEntry",
    "An increment, and the items that a file ties to it.",
    id=str,
    linked=list_of(ItemEntry),
    already=list_of(ItemEntry),
    **ERROR,
)
ProposedItem = entry(
    "ProposedItem", "An item that may be an increment's.", id=str, url=str, title=str
)
ProposalEntry = entry(
    "ProposalEntry",
    "The items that may be an increment's on one tracker, and why.",
    increment=str,
    tracker=str,
    ground=str,
    clear=bool,
    items=list_of(ProposedItem),
)
TrackerProblem = entry(
    "TrackerProblem",
    "Why one tracker could not be asked.",
    id=str,
    message=str,
    hint=Text,
    tracker=str,
)

# Sync

ComparedEntry = entry(
    "ComparedEntry",
    "A link, and what both of its sides are.",
    increment=str,
    status=Status,
    **ITEM,
    name=str,
    state=Text,
    category=Text,
    verdict=str,
    why=str,
    **ERROR,
)
MoveEntry = entry(
    "MoveEntry",
    "An increment that follows its items.",
    increment=str,
    before=Status,
    after=Status,
    by=str,
    reason=str,
    **ERROR,
)
SyncedIncrement = entry(
    "SyncedIncrement",
    "An increment whose items were served.",
    id=str,
    trackers=list_of(DeliveryEntry),
    left=int,
)
CommitEntry = entry(
    "CommitEntry",
    "What was given back to git, or why not.",
    commit=Text,
    branch=Text,
    increments=list[str],
    proposal=Text,
    error=Failure | None,
)
MessageEntry = entry(
    "EventEntry",
    "A message from a tracker, and whose business it is.",
    tracker=str,
    action=str,
    url=Text,
    by=Text,
    increments=list[str],
    note=Text,
)

# Files, and git

ClashEntry = entry(
    "ClashEntry",
    "A field that both sides of a merge changed, differently.",
    field=str,
    ours=Any,
    theirs=Any,
)
GitEntry = entry(
    "GitEntry",
    "What git was told about merging increments.",
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
    tracker=str,
    host=str,
    source=Text,
    user=Text,
    hint=Text,
)
PluginEntry = entry(
    "PluginEntry",
    "A tracker that unlatch knows.",
    name=str,
    title=str,
    noun=str,
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
    "Something that the doctor found.",
    severity=Literal["error", "warning", "note"],
    id=str,
    message=str,
    where=Text,
    hint=Text,
    increment=Text,
)
PlaceEntry = entry(
    "PlaceEntry",
    "What a credential may do in one place; null where only a write would tell.",
    target=str,
    rights=dict[str, bool | None],
)
AccessEntry = entry(
    "AccessEntry",
    "What a tracker said about the credential.",
    tracker=str,
    login=Text,
    places=list_of(PlaceEntry),
)
FixEntry = entry(
    "FixEntry",
    "A file that the doctor fixes, and how.",
    id=str,
    increment=Text,
    path=str,
    diff=str,
    done=bool,
)
