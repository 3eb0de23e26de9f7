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

    direction: Direction | None = Field(None, description="as sync.direction, for this tracker")
    conflict: OnConflict | None = Field(None, description="as sync.conflict, for this tracker")
    on_close: OnClose | None = Field(None, description="as sync.on_close, for this tracker")
    write: tuple[Part, ...] | None = Field(None, description="as sync.write, for this tracker")


class SyncConfig(BaseModel):
    """How `unlatch sync` brings increments and items in step."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    branch: str | None = Field(
        None,
        description="the branch on which statuses are compared; by default the remote's default "
        "branch. On others only what is pending is delivered",
    )
    max_items: Annotated[int, Field(ge=1)] = Field(
        10, description="items that one sync may write to without --max-items"
    )
    direction: Direction = Field(
        Direction.BOTH,
        description="push (items follow increments), pull (increments follow items), both or off",
    )
    conflict: OnConflict = Field(
        OnConflict.ASK,
        description="which side counts where both have changed differently: local, remote, ask, "
        "or fail",
    )
    on_close: OnClose = Field(
        OnClose.ASK,
        description="what an item closed by hand does to an open increment: follow finishes it, "
        "ask asks, report only says so",
    )
    write: tuple[Part, ...] = Field(
        ALL_PARTS,
        description="what may be written to items: status, comment, labels, body, create",
    )
    write_foreign: tuple[Part, ...] | None = Field(
        None,
        description="the same for items that were there before their increment was tied to them; "
        "by default as sync.write",
    )
    trackers: dict[str, TrackerSync] = Field(
        default_factory=dict, description="tables such as [sync.trackers.jira] with other values"
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
