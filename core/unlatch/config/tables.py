"""The tables of config.toml: labels, limits, rules for reopening, and sync."""

from typing import Annotated, Literal

from unlatch.config.choices import SESSIONS, AutoSave, Part, Provider, Reaction, SubagentMode
from unlatch.config.value_types import (
    LONGEST_DAYS,
    AbsolutePath,
    AskerName,
    Category,
    Count,
    Days,
    PathInside,
    VariableName,
    Word,
    YesNo,
)
from unlatch.increments.documents.marks import INTERNAL, is_mark
from unlatch.increments.model import reopen_rules
from unlatch.increments.model.limits import Limits
from unlatch.increments.model.policies import Direction, OnClose, OnConflict, Policy, SyncPolicy
from unlatch.increments.model.status import Status
from unlatch.spi.tables import Check, Constraint, Table, setting


def _installed(value: tuple[str, ...]) -> tuple[str, ...]:
    from unlatch.increments.layouts.installed import installed_layouts  # noqa: PLC0415

    layouts, broken = installed_layouts()
    if unknown := [name for name in value if name not in layouts]:
        why = broken.get(unknown[0], f"not installed; installed: {', '.join(layouts)}")
        raise ValueError(f"{unknown[0]!r}: {why}")
    return value


def _open_marks(value: tuple[str, ...]) -> tuple[str, ...]:
    for mark in value:
        if not mark.strip() or mark != mark.strip() or not is_mark(mark):
            raise ValueError(f"{mark!r}: must be one character other than x and X")
    if len(value) > len(INTERNAL):
        raise ValueError(f"at most {len(INTERNAL)} marks")
    return value


class Labels(Table):
    """Labels (tags on Azure DevOps) that unlatch sets and removes."""

    reopened: str = setting(
        default="reopened",
        description="Added by a reopen, removed by `complete`",
    )
    completed: str = setting(
        default="completed",
        description="Added by `complete`, removed by a reopen",
    )
    scope_change: str = setting(
        default="scope-change",
        description="Added by a reopen with new scope, removed by `complete`",
    )
    create_missing: YesNo = setting(
        default=False,
        description="Let `reopen` and `close` of items create labels that a GitHub repository "
        "lacks, as increments do",
    )

    @property
    def names(self) -> tuple[tuple[str, str], ...]:
        """The labels by their keys."""
        keys = ("reopened", "completed", "scope_change")
        return tuple((key, getattr(self, key)) for key in keys)


class StaleAfter(Table):
    """Days without activity after which an increment is stale."""

    active: Days = setting(
        default=30,
        description="Days without activity until an active increment is stale; 0 means never",
    )
    paused: Days = setting(
        default=7,
        description="Days without activity until a paused increment is stale; 0 means never",
    )


class LimitsConfig(Table):
    """Limits for work in progress."""

    max_active: Count | None = setting(
        default=None, description="Maximum number of active increments; `policy` decides beyond it"
    )
    hard_cap: Count | None = setting(
        default=None,
        description="Maximum number of active increments for every type and policy. More need "
        "`--force`",
    )
    per_type: dict[Word, Count] = setting(
        default={}, description="Maximum number of active increments of a type"
    )
    can_interrupt: tuple[Word, ...] = setting(
        default=("hotfix", "bug"), description="Types that only `hard_cap` limits"
    )
    policy: Policy = setting(
        default=Policy.WARN,
        description="Reaction of `resume` and `start` beyond `max_active` and `per_type`",
    )
    count_reviews: YesNo = setting(
        default=False, description="Count increments in review as active, as SpecWeave does"
    )
    stale_after: StaleAfter = setting(default=StaleAfter())

    @property
    def rules(self) -> Limits:
        after = {Status.ACTIVE: self.stale_after.active, Status.PAUSED: self.stale_after.paused}
        exempt = frozenset(self.can_interrupt)
        most = self.max_active, self.hard_cap, self.per_type
        return Limits(*most, exempt, self.policy, after, self.count_reviews)


class ReopenConfig(Table):
    """Rules for reopening completed increments."""

    within_days: Annotated[int, Constraint(strict=True, ge=1, le=LONGEST_DAYS)] | None = setting(
        default=None, description="Days after completion in which an increment can be reopened"
    )
    too_late: Policy = setting(default=Policy.REFUSE, description="Reaction to a later reopen")
    categories: tuple[Category, ...] = setting(
        default=(),
        description="Words that `--category` accepts. Without a list it accepts any word",
    )
    category_required: YesNo = setting(
        default=False,
        description="Require `--category` for a reopen",
    )
    category_missing: Policy = setting(
        default=Policy.REFUSE,
        description="Reaction to a missing category",
    )
    from_nth: Count | None = setting(
        default=None, description="Number of the first reopen that `frequent` applies to"
    )
    frequent: Policy = setting(
        default=Policy.WARN,
        description="Reaction to that reopen and later ones",
    )

    @property
    def rules(self) -> reopen_rules.ReopenRules:
        return reopen_rules.ReopenRules(**dict(self))


class LlmConfig(Table):
    """The chat model for efforts, in the user's own configuration only."""

    provider: Provider = setting(
        default=Provider.OPENAI,
        description="`openai`: any server with OpenAI's Chat Completions API; `litellm`: the "
        "library litellm, which the extra `unlatch[litellm]` installs",
    )
    base_url: Word | None = setting(
        default=None,
        description="Address of the server (http://127.0.0.1:11434/v1). Plain http only on this "
        "machine. `litellm` can do without",
    )
    model: Word | None = setting(
        default=None,
        description="Name of the model, as the server knows it",
    )
    key_env: VariableName | None = setting(
        default=None,
        description="Name of the environment variable with the API key, which is sent to "
        "`base_url` only; a server without keys needs none",
    )
    timeout: Annotated[float, Constraint(strict=True, gt=0, le=3600)] = setting(
        default=300.0, description="Maximum number of seconds for one answer"
    )


class EffortsConfig(Table):
    """Efforts: conversations with a model."""

    path: AbsolutePath | None = setting(
        default=None,
        description="Absolute path of the folder for efforts; by default .unlatch/efforts in the "
        "project",
    )


class SessionsConfig(Table):
    """Sessions: readable logs of agents' work."""

    path: PathInside = setting(
        default=SESSIONS,
        description="Folder of the sessions, relative to the project",
    )
    subagents: SubagentMode = setting(
        default=SubagentMode.LINK,
        description="Place of a subagent's log: in its own file that the session names (`link`) "
        "or shows in its place (`embed`), or in the session itself (`inline`)",
    )
    timeout: Annotated[int, Constraint(strict=True, ge=0)] = setting(
        default=120,
        description="Minutes without a change after which the next command pauses a session; "
        "0 means never",
    )
    auto_save: AutoSave = setting(
        default=AutoSave.PHASE,
        description="When a program that records a session writes its file: after each `phase`, "
        "each `call`, or an `interval`. Commands write at once",
    )
    interval: Annotated[float, Constraint(strict=True, gt=0, le=3600)] = setting(
        default=30.0, description='Seconds between two saves with `auto_save = "interval"`'
    )


class TrackerSync(Table):
    """One tracker's own policy; defaults come from `[sync]`."""

    direction: Direction | None = setting(
        default=None, description="Replaces `sync.direction` for this tracker"
    )
    conflict: OnConflict | None = setting(
        default=None, description="Replaces `sync.conflict` for this tracker"
    )
    on_close: OnClose | None = setting(
        default=None,
        description="Replaces `sync.on_close` for this tracker",
    )
    write: tuple[Part, ...] | None = setting(
        default=None, description="Replaces `sync.write` for this tracker"
    )


_AS_SYNC = TrackerSync()


class SyncConfig(Table):
    """How `unlatch sync` compares increments and items, and which side it changes."""

    branch: str | None = setting(
        default=None,
        description="Branch on which statuses are compared; by default the remote's default "
        "branch, whose configuration has to name another one. Other branches only deliver pending "
        "operations",
    )
    max_items: Annotated[int, Constraint(strict=True, ge=1)] = setting(
        default=10, description="Maximum number of items that one run changes without `--max-items`"
    )
    direction: Direction = setting(
        default=Direction.BOTH,
        description="`push`: items follow increments; `pull`: increments follow items; `both`; "
        "`off`",
    )
    conflict: OnConflict = setting(
        default=OnConflict.ASK,
        description="Side that wins where both sides changed: `local` or `remote`. `ask` "
        "prompts, `fail` reports a conflict",
    )
    on_close: OnClose = setting(
        default=OnClose.ASK,
        description="Reaction to an item that was closed by hand while its increment is open: "
        "`follow` finishes the increment, `report` only lists the item, `ask` "
        "prompts",
    )
    write: tuple[Part, ...] = setting(
        default=tuple(Part), description="Parts of items that unlatch may write, in every command"
    )
    write_foreign: tuple[Part, ...] | None = setting(
        default=None,
        description="The same for items that existed before they were linked; by default the "
        "value of `write`",
    )
    trackers: dict[str, TrackerSync] = setting(
        default={},
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

    use: Annotated[tuple[str, ...], Check(_installed)] = setting(
        default=(),
        description="Layouts to read, by name: spec-kit, openspec, kiro, backlog-md, or one that "
        "is installed",
    )


class DocumentsConfig(Table):
    """How the documents of increments are read."""

    discarded_marks: Annotated[tuple[str, ...], Check(_open_marks)] = setting(
        default=(),
        description="Marks in check boxes that mean, besides `-`, that a task or a criterion was "
        "dropped, such as `~`. Without an entry here it is open. For unlatch's own documents, and "
        "those of SpecWeave and spec-kit",
    )


class RunsConfig(Table):
    """Runs: a plan that many workers carry out."""

    references: tuple[str, ...] = setting(
        default=(), description="Files that every assignment names, relative to the project"
    )
    attempts: Annotated[int, Constraint(strict=True, ge=1, le=100)] = setting(
        default=3, description="Number of failures after which a task waits for a person"
    )
    crashes: Annotated[int, Constraint(strict=True, ge=1, le=100)] = setting(
        default=5,
        description="Number of times in a row that a task may end with its coordinator, as at a "
        "reboot, before the run pauses",
    )
    window: Annotated[int, Constraint(strict=True, ge=0)] = setting(
        default=60,
        description="Minutes: tasks completed since are validated again after a pause or a crash",
    )
    context_threshold: Annotated[float, Constraint(strict=True, ge=0, le=100)] = setting(
        default=10, description="Percent of the driving agent's context at which it is compacted"
    )
    session_threshold: Annotated[float, Constraint(strict=True, ge=0, le=100)] = setting(
        default=10, description="Percent of the usage limit that is left when a run pauses"
    )


class CommentsConfig(Table):
    """Commands in comments on items; read from the default branch's commit."""

    # As `unlatch.spi.history.Role`, which few commands need.
    allow: tuple[AskerName, ...] = setting(
        default=("author", "assignee", "triage", "write"),
        description="Who may ask with a comment: `author`, `assignee`, `triage`, `write`, or "
        "`team:NAME` of the organization",
    )
    spread: YesNo = setting(
        default=False,
        description="Let an author or assignee reopen the increment with all its items, not only "
        "the item with the comment",
    )
    share_text: YesNo = setting(
        default=False,
        description="Record the words of a comment in the increment, and post them and who asked "
        "on all its items",
    )
    look_back: Count = setting(
        default=24,
        description="Hours that `unlatch sync --comments` looks back for commands in comments",
    )
    days: Days = setting(
        default=0,
        description="Days after a close in which an author or assignee may ask; 0 for no limit",
    )
    closing_note: YesNo = setting(
        default=False,
        description="Say in the comment of a close how to ask for a reopen, and until when",
    )
    follow_up: Literal["ignore", "label", "reopen"] = setting(
        default="ignore",
        description="What the author's comment without a command on a closed item does "
        "(thanks do nothing)",
    )
    follow_up_label: Word = setting(
        default="follow-up", description='The label that `follow_up = "label"` adds'
    )


class RegressionsConfig(Table):
    """What `unlatch regressions` does; read from the default branch's commit."""

    policy: dict[Word, Reaction] = setting(
        default={},
        description="Reaction to a kind of cause (`revert`, `trailer`, `test`, `alert`): `ignore`, "
        "`suggest`, which is the default, or `reopen`: {revert = 'reopen'}",
    )
    runs: Count = setting(
        default=2, description="Number of runs in a row in which a test has to fail, or to pass"
    )
    comment: YesNo = setting(
        default=False,
        description="Comment on a GitHub pull request whose commits break finished work",
    )
