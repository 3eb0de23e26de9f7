"""The tables of config.toml: labels, limits, rules for reopening, and sync."""

from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, field_validator

from unlatch.config.choices import SESSIONS, AutoSave, Part, Provider, SubagentMode
from unlatch.config.value_types import LONGEST_DAYS, Category, Count, Days, Word, YesNo
from unlatch.increments.model import reopening
from unlatch.increments.model.limits import Limits
from unlatch.increments.model.policies import Direction, OnClose, OnConflict, Policy, SyncPolicy
from unlatch.increments.model.status import Status
from unlatch.patterns import pattern

# pydantic would look for plugins of its own in every installed distribution, and run them. Looking
# takes longer than building all tables. The documented way is a variable, which child processes
# would get. Where another version keeps its plugins elsewhere, it looks for them.
with suppress(ImportError):
    from pydantic.plugin import _loader

    _loader._plugins = {}  # noqa: SLF001

_VARIABLE = pattern(r"[A-Za-z_][A-Za-z0-9_]*")


class Table(BaseModel):
    """A table of a configuration file."""

    # Most files have few of the tables, and pydantic builds each in a millisecond when it is used.
    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


class Labels(Table):
    """Labels (tags on Azure DevOps) that unlatch sets and removes."""

    reopened: str = Field("reopened", description="Added by a reopen, removed by `complete`")
    completed: str = Field("completed", description="Added by `complete`, removed by a reopen")
    scope_change: str = Field(
        "scope-change", description="Added by a reopen with new scope, removed by `complete`"
    )


class StaleAfter(Table):
    """Days without activity after which an increment is stale."""

    active: Days = Field(
        30, description="Days without activity until an active increment is stale; 0 means never"
    )
    paused: Days = Field(
        7, description="Days without activity until a paused increment is stale; 0 means never"
    )


class LimitsConfig(Table):
    """Limits for work in progress."""

    max_active: Count | None = Field(
        None, description="Maximum number of active increments; `policy` decides beyond it"
    )
    hard_cap: Count | None = Field(
        None,
        description="Maximum number of active increments for every type and policy. More need "
        "`--force`",
    )
    per_type: dict[Word, Count] = Field(
        {}, description="Maximum number of active increments of a type"
    )
    can_interrupt: tuple[Word, ...] = Field(
        ("hotfix", "bug"), description="Types that only `hard_cap` limits"
    )
    policy: Policy = Field(
        Policy.WARN,
        description="Reaction of `resume` and `start` beyond `max_active` and `per_type`",
    )
    stale_after: StaleAfter = StaleAfter.model_construct()

    @property
    def rules(self) -> Limits:
        after = {Status.ACTIVE: self.stale_after.active, Status.PAUSED: self.stale_after.paused}
        exempt = frozenset(self.can_interrupt)
        return Limits(self.max_active, self.hard_cap, self.per_type, exempt, self.policy, after)


class ReopenConfig(Table):
    """Rules for reopening completed increments."""

    within_days: Annotated[int, Field(strict=True, ge=1, le=LONGEST_DAYS)] | None = Field(
        None, description="Days after completion in which an increment can be reopened"
    )
    too_late: Policy = Field(Policy.REFUSE, description="Reaction to a later reopen")
    categories: tuple[Category, ...] = Field(
        (), description="Words that `--category` accepts. Without a list it accepts any word"
    )
    category_required: YesNo = Field(default=False, description="Require `--category` for a reopen")
    category_missing: Policy = Field(Policy.REFUSE, description="Reaction to a missing category")
    from_nth: Count | None = Field(
        None, description="Number of the first reopen that `frequent` applies to"
    )
    frequent: Policy = Field(Policy.WARN, description="Reaction to that reopen and later ones")

    @property
    def rules(self) -> reopening.ReopenRules:
        return reopening.ReopenRules(**dict(self))


class LlmConfig(Table):
    """The chat model for efforts, in the user's own configuration only."""

    provider: Provider = Field(
        Provider.OPENAI,
        description="`openai`: any server with OpenAI's Chat Completions API; `litellm`: the "
        "library litellm, which the extra `unlatch[litellm]` installs",
    )
    base_url: Word | None = Field(
        None,
        description="Address of the server (http://127.0.0.1:11434/v1). Plain http only on this "
        "machine. `litellm` can do without",
    )
    model: Word | None = Field(None, description="Name of the model, as the server knows it")
    key_env: str | None = Field(
        None,
        description="Name of the environment variable with the API key, which is sent to "
        "`base_url` only; a server without keys needs none",
    )
    timeout: Annotated[float, Field(strict=True, gt=0, le=3600)] = Field(
        300.0, description="Maximum number of seconds for one answer"
    )

    @field_validator("key_env")
    @classmethod
    def _is_name(cls, value: str | None) -> str | None:
        # The value is not repeated: it may be the key.
        if value is not None and not _VARIABLE.fullmatch(value):
            raise ValueError("expected the name of an environment variable, not the key itself")
        return value


class EffortsConfig(Table):
    """Efforts: conversations with a model."""

    path: str | None = Field(
        None,
        description="Absolute path of the folder for efforts; by default .unlatch/efforts in the "
        "project",
    )

    @field_validator("path")
    @classmethod
    def _is_absolute(cls, value: str | None) -> str | None:
        if value is not None and not Path(value).is_absolute():
            raise ValueError(f"{value!r} is not an absolute path")
        return value


class SessionsConfig(Table):
    """Sessions: readable logs of agents' work."""

    path: Word = Field(SESSIONS, description="Folder of the sessions, relative to the project")
    subagents: SubagentMode = Field(
        SubagentMode.LINK,
        description="Place of a subagent's log: in its own file that the session names (`link`) "
        "or shows in its place (`embed`), or in the session itself (`inline`)",
    )
    timeout: Annotated[int, Field(strict=True, ge=0)] = Field(
        120,
        description="Minutes without a change after which the next command pauses a session; "
        "0 means never",
    )
    auto_save: AutoSave = Field(
        AutoSave.PHASE,
        description="When a program that records a session writes its file: after each `phase`, "
        "each `call`, or an `interval`. Commands write at once",
    )
    interval: Annotated[float, Field(strict=True, gt=0, le=3600)] = Field(
        30.0, description='Seconds between two saves with `auto_save = "interval"`'
    )

    @field_validator("path")
    @classmethod
    def _is_inside(cls, value: str) -> str:
        path = PurePosixPath(value)
        if path.is_absolute() or ".." in path.parts or not path.parts:
            raise ValueError(f"{value!r} is not a path inside the project")
        return value


class TrackerSync(Table):
    """One tracker's own policy; defaults come from `[sync]`."""

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


_AS_SYNC = TrackerSync.model_construct()


class SyncConfig(Table):
    """How `unlatch sync` compares increments and items, and which side it changes."""

    branch: str | None = Field(
        None,
        description="Branch on which statuses are compared; by default the remote's default "
        "branch. Other branches only deliver pending operations",
    )
    max_items: Annotated[int, Field(strict=True, ge=1)] = Field(
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
        tuple(Part), description="Parts of items that unlatch may write, in every command"
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

    def policy(self, tracker: str) -> SyncPolicy:
        own = self.trackers.get(tracker, _AS_SYNC)
        conflict, on_close = own.conflict or self.conflict, own.on_close or self.on_close
        return SyncPolicy(own.direction or self.direction, conflict, on_close)

    def may_write(self, tracker: str, *, foreign: bool = False) -> frozenset[Part]:
        """The parts of a tracker's items that may be written; `foreign` ones existed before."""
        own = self.trackers.get(tracker, _AS_SYNC)
        write = frozenset(self.write if own.write is None else own.write)
        if foreign and own.write is None and self.write_foreign is not None:
            return frozenset(self.write_foreign)
        return write


class LayoutsConfig(Table):
    """Other spec-driven tools whose folders this project uses; `unlatch init` detects them."""

    use: tuple[str, ...] = Field(
        (),
        description="Layouts to read, by name: spec-kit, openspec, kiro, or one that is installed",
    )

    @field_validator("use")
    @classmethod
    def _is_installed(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        from unlatch.increments.layouts.installed import installed_layouts  # noqa: PLC0415

        layouts, broken = installed_layouts()
        if unknown := [name for name in value if name not in layouts]:
            why = broken.get(unknown[0], f"not installed; installed: {', '.join(layouts)}")
            raise ValueError(f"{unknown[0]!r}: {why}")
        return value


class RunsConfig(Table):
    """Runs: a plan that many workers carry out."""

    references: tuple[str, ...] = Field(
        (), description="Files that every assignment names, relative to the project"
    )
    attempts: Annotated[int, Field(strict=True, ge=1, le=100)] = Field(
        3, description="Number of failures after which a task waits for a person"
    )
    window: Annotated[int, Field(strict=True, ge=0)] = Field(
        60,
        description="Minutes: tasks completed since are validated again after a pause or a crash",
    )
    context_threshold: Annotated[float, Field(strict=True, ge=0, le=100)] = Field(
        10, description="Percent of the driving agent's context at which it is compacted"
    )
    session_threshold: Annotated[float, Field(strict=True, ge=0, le=100)] = Field(
        10, description="Percent of the usage limit that is left when a run pauses"
    )
