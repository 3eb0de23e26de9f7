"""A unit: one `unlatch sync --yes --commit push` of one repository, in a clone of its own.

What it did is on the trackers and in the repository. Its outcome only says when to sync again; to
lose it, or to begin the unit twice, costs requests.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from unlatch.errors import ConfigError, StoreError, UnlatchError, UsageError
from unlatch.project.allowed_targets import ALLOWED_TARGETS
from unlatch.transport.account import NODE_BUDGET
from unlatch.values import dataclass
from unlatch.worklog.json_text import load_json
from unlatch.worklog.times import read_stamp
from unlatch_fleet.children import Children, Ended, base_environment
from unlatch_fleet.clone import Clone, CloneFailed, open_clone

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from unlatch_fleet.fleet_file import Repository

# This unlatch. -P: no module is imported from the repository.
UNLATCH = (sys.executable, "-P", "-m", "unlatch.cli")
# Seconds until a unit begins nothing new, and for what it then has under way.
MAX_TIME = 900.0
_FINISHING = 300.0
_LATER = timedelta(seconds=60)
_WRITTEN = frozenset({"reopened", "closed", "created", "updated"})
# Exit codes of unlatch (docs/errors.md) with which a person has to change something.
_PERSON = frozenset({2, 4, 5})
_LIMITED = frozenset({"rate-limited", "budget-unavailable"})


class Result(StrEnum):
    """The result of a unit.

    DONE: nothing is left. LATER: sync again at a time. PERSON: somebody has to change something.
    FAILED: sync again, after longer and longer pauses.
    """

    DONE = "done"
    LATER = "later"
    PERSON = "person"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a unit.

    Args:
        at: when to sync again, of `LATER`.
        error: the id of the first error, if there was one.
        message: of that error, without secrets; it may hold names of increments and items.
        written: how many items were changed.
        left: how many operations are pending.
        commit: that was pushed.
        is_limited: whether a rate limit of the account is the cause of `LATER`.
        is_whole: whether the notes of its worktree are not needed: none says what may have been
            sent, or commits cannot be pushed and a new clone finds out what was done.
    """

    result: Result
    at: datetime | None = None
    error: str | None = None
    message: str | None = None
    written: int = 0
    left: int = 0
    commit: str | None = None
    is_limited: bool = False
    is_whole: bool = True


@dataclass(frozen=True, slots=True)
class Unit:
    """A sync of a repository.

    Args:
        variables: the tokens of its group (`Tokens.variables`).
        git_token: for git over https.
        targets: all that its files may name, by tracker.
        max_wait: seconds to wait for rate limits in all.
        max_time: seconds until it begins nothing new.
        is_dry: whether it only shows what it would change.
    """

    repository: Repository
    variables: Mapping[str, str]
    git_token: str | None
    targets: Mapping[str, tuple[str, ...]]
    max_wait: float = 60.0
    max_time: float = MAX_TIME
    is_dry: bool = False


@dataclass(frozen=True, slots=True)
class UnitClone:
    """The clone of a unit, prepared, and what its commands need.

    Args:
        environ: for commands: few variables of this process, and the tokens of its group.
        is_new: whether no notes of an earlier unit are in it.
    """

    unit: Unit
    clone: Clone
    is_new: bool
    environ: Mapping[str, str]
    program: tuple[str, ...]

    @property
    def root(self) -> Path:
        """The project."""
        return self.clone.tree / self.unit.repository.root

    def run(self, *arguments: str) -> Ended:
        """Run a command of unlatch in the project, without prompts and pagers."""
        waits = f"{self.unit.max_wait:g}"
        return self.clone.children.run(
            [*self.program, "--no-pager", "--max-wait", waits, *arguments],
            cwd=self.root,
            environ=self.environ,
            seconds=self.unit.max_time + self.unit.max_wait + _FINISHING,
            lock=self.clone.lock,
        )


@contextmanager
def open_unit(
    unit: Unit,
    folder: Path,
    *,
    budget: Path | None,
    environ: Mapping[str, str],
    children: Children,
    patience: float = 0.0,
    program: tuple[str, ...] = UNLATCH,
) -> Iterator[UnitClone]:
    """The prepared clone of a unit, locked; the arguments of `carry_out`.

    Raises:
        UnlatchError: those of `Clone.prepare`; `stopped`; `unit-running`; `root-missing`.
        OSError: git or a file cannot be used.
    """
    base, repository = base_environment(environ), unit.repository
    with open_clone(
        repository, folder, environ=base, token=unit.git_token, children=children, patience=patience
    ) as clone:
        is_new = clone.prepare()
        added = {
            **unit.variables,
            ALLOWED_TARGETS: json.dumps(dict(unit.targets)),
            "XDG_STATE_HOME": str(clone.state),
            **({NODE_BUDGET: str(budget)} if budget else {}),
        }
        opened = UnitClone(unit, clone, is_new, {**clone.environ, **added}, program)
        # A link could lead out of the clone.
        if (
            not opened.root.resolve().is_relative_to(clone.tree.resolve())
            or not opened.root.is_dir()
        ):
            message = f"{repository.address.key} has no folder {repository.root!r}"
            hint = "change its `root` in fleet.toml"
            raise UsageError("root-missing", message, where=repository.address.url, hint=hint)
        yield opened


def carry_out(
    unit: Unit,
    folder: Path,
    *,
    budget: Path | None,
    environ: Mapping[str, str],
    children: Children,
    patience: float = 0.0,
    program: tuple[str, ...] = UNLATCH,
) -> Outcome:
    """Sync a repository in its clone; its errors are in the outcome.

    Args:
        folder: of its clone (`clone_folder`).
        budget: the socket of `serve_budget`; None for a budget of this machine alone.
        environ: of this process; few of its variables are passed on.
        children: ends the unit's programs when it is stopped.
        patience: seconds to wait for another unit of the same repository on this machine.

    Raises:
        UnlatchError: `stopped`; `unit-running`: nothing was begun.
    """
    try:
        with open_unit(
            unit,
            folder,
            budget=budget,
            environ=environ,
            children=children,
            patience=patience,
            program=program,
        ) as opened:
            done = opened.run(*_arguments(unit))
            outcome = read_outcome(done)
            is_whole = opened.is_new if unit.is_dry else outcome.is_whole
            if is_whole and done.code >= 0 and not children.is_stopped:
                opened.clone.forget()
            return outcome
    except UnlatchError as error:
        if error.id in ("stopped", "unit-running"):
            raise
        return outcome_of(error)
    except OSError as error:
        return outcome_of(UnlatchError("unit-failed", str(error)))


def _arguments(unit: Unit) -> tuple[str, ...]:
    if unit.is_dry:
        return "sync", "--json", "--dry-run"
    publishing = ("--yes", "--commit", "push", "--max-time", f"{unit.max_time:g}")
    return "sync", "--json", *publishing


def outcome_of(error: UnlatchError) -> Outcome:
    """The outcome of a unit that an error of the node ended."""
    is_later = isinstance(error, CloneFailed)
    is_mistake = isinstance(error, UsageError | ConfigError | StoreError) and not is_later
    result = Result.PERSON if is_mistake else Result.FAILED
    return Outcome(result, error=error.id, message=error.message)


def read_outcome(done: Ended) -> Outcome:
    """The outcome in the document that `unlatch sync` printed, which is data of the repository."""
    if done.is_late:
        return outcome_of(UnlatchError("unit-too-slow", "the sync did not end in time"))
    try:
        document = load_json(done.out)
        if document["schema"] == "unlatch.error/1":
            return _of_error(document["error"], done.code)
        read = _of_plan if document["schema"] == "unlatch.sync-plan/1" else _of_sync
        return read(document, done.code)
    except (ValueError, LookupError, TypeError, AttributeError):
        message = f"it ended with code {done.code} and without a document"
        return outcome_of(UnlatchError("unit-failed", message))


def _of_error(error: Mapping[str, Any], code: int) -> Outcome:
    result = Result.PERSON if code in _PERSON else Result.FAILED
    return Outcome(result, error=str(error["id"]), message=str(error["message"]))


def _of_plan(document: Mapping[str, Any], code: int) -> Outcome:
    """The outcome of a dry run: `written` is what would be changed."""
    errors = [entry["error"] for entry in document["items"] if entry["error"]]
    questions = _questions(document)
    first = next(iter([*errors, *questions]), {"id": None, "message": None})
    return Outcome(
        Result.PERSON if code or questions else Result.DONE,
        error=first["id"],
        message=first["message"],
        written=len(document["items"]),
        left=len(document["pending"]),
    )


def _of_sync(document: Mapping[str, Any], code: int) -> Outcome:
    entries = [
        entry
        for part in (*document["increments"], *document["items"])
        for entry in part.get("trackers", part.get("deliveries", ()))
    ]
    outcomes = Counter(entry["outcome"] for entry in entries)
    commit = document["commit"] or {}
    errors = [
        error
        for part in (*entries, *document["compared"], *document["moves"], commit)
        if (error := part.get("error"))
    ]
    first = next(iter([*errors, *_questions(document)]), {"id": None, "message": None})
    at = read_stamp(document["retryAt"])
    result = _result(code, str(document["retry"]))
    left = sum(entry["retry"] != "none" for entry in entries)
    return Outcome(
        result,
        at=at or (datetime.now(UTC) + _LATER if document["retry"] == "at" else None),
        error=first["id"],
        message=first["message"],
        written=sum(number for name, number in outcomes.items() if name in _WRITTEN),
        left=left,
        commit=commit.get("commit"),
        is_limited=any(error["id"] in _LIMITED for error in errors),
        is_whole=result is not Result.LATER or (bool(commit.get("error")) and not left),
    )


def _questions(document: Mapping[str, Any]) -> list[dict[str, str]]:
    """What a person has to decide, in the form of errors: sync lists a question, and no error."""
    questions = [
        UnlatchError(
            "decision-needed",
            f"{entry['increment']}, {entry['name']}: {entry['why']}; see `unlatch sync`",
        )
        for entry in document["compared"]
        if entry["verdict"] == "ask"
    ]
    return [{"id": question.id, "message": question.message} for question in questions]


def _result(code: int, retry: str) -> Result:
    if retry == "at":
        return Result.LATER
    if retry == "person":
        return Result.PERSON
    return Result.DONE if code == 0 else Result.FAILED
