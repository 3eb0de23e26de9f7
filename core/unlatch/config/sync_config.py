"""`[sync]` in config.toml: how increments and items are kept in step, as a whole and by tracker."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from unlatch.increments.model.sync_policy import Direction, OnClose, OnConflict, Policy


class Part(StrEnum):
    """A part of an item that unlatch may write."""

    STATUS = "status"
    COMMENT = "comment"
    LABELS = "labels"
    BODY = "body"
    CREATE = "create"


ALL_PARTS = tuple(Part)


class TrackerSync(BaseModel):
    """One tracker's own policy; what is not set is as in `[sync]`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    direction: Direction | None = Field(
        None, description="Replaces `sync.direction` for this tracker"
    )
    conflict: OnConflict | None = Field(
        None, description="Replaces `sync.conflict` for this tracker"
    )
    on_close: OnClose | None = Field(None, description="Replaces `sync.on_close` for this tracker")
    write: tuple[Part, ...] | None = Field(
        None, description="Replaces `sync.write` for this tracker"
    )


class SyncConfig(BaseModel):
    """How `unlatch sync` brings increments and items in step."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    branch: str | None = Field(
        None,
        description="Branch on which statuses are compared; by default the remote's default "
        "branch. Other branches only deliver pending operations",
    )
    max_items: Annotated[int, Field(ge=1)] = Field(
        10, description="Maximum number of items that one run changes without `--max-items`"
    )
    direction: Direction = Field(
        Direction.BOTH,
        description="`push`: items follow increments; `pull`: increments follow items; `both`; "
        "`off`",
    )
    conflict: OnConflict = Field(
        OnConflict.ASK,
        description="Side that wins where both sides changed: `local` or `remote`. `ask` "
        "prompts, `fail` reports a conflict",
    )
    on_close: OnClose = Field(
        OnClose.ASK,
        description="Reaction to an item that was closed by hand while its increment is open: "
        "`follow` finishes the increment, `report` only lists the item, `ask` "
        "prompts",
    )
    write: tuple[Part, ...] = Field(
        ALL_PARTS,
        description="Parts of items that unlatch may write, in every command",
    )
    write_foreign: tuple[Part, ...] | None = Field(
        None,
        description="The same for items that existed before they were linked; by default the "
        "value of `write`",
    )
    trackers: dict[str, TrackerSync] = Field(
        default_factory=dict,
        description="Values for one tracker: [sync.trackers.jira] with `direction`, `conflict`, "
        "`on_close` and `write`",
    )

    def policy(self, tracker: str) -> Policy:
        """How one tracker's items are kept in step."""
        own = self.trackers.get(tracker, TrackerSync())
        return Policy(
            own.direction or self.direction,
            own.conflict or self.conflict,
            own.on_close or self.on_close,
        )

    def may_write(self, tracker: str, *, foreign: bool = False) -> frozenset[Part]:
        """What of a tracker's items may be written; `foreign` ones were there before their tie."""
        own = self.trackers.get(tracker, TrackerSync())
        write = frozenset(self.write if own.write is None else own.write)
        if foreign and own.write is None and self.write_foreign is not None:
            return frozenset(self.write_foreign)
        return write
