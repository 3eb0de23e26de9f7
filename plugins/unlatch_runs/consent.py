"""What a person agreed to for a run: the programs to start, and the acceptance commands.

It comes from the command line and is kept in the user's own state folder, for this checkout alone.
Nothing in a run's folder or in the repository is taken for it, so a run that came with a clone
starts nothing, even at the path of a deleted checkout.
"""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import asdict, replace
from shlex import quote
from typing import TYPE_CHECKING, Any

from unlatch.errors import UsageError
from unlatch.values import dataclass
from unlatch.worklog.disk.atomic import PRIVATE, replace_file
from unlatch.worklog.disk.checkout_folder import checkout_folder, make_checkout_folder
from unlatch.worklog.disk.private_folder import make_private
from unlatch.worklog.disk.safe_open import read_file
from unlatch.worklog.json_text import json_or_none

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from unlatch_runs.plan.plan_model import Plan

Argv = tuple[str, ...]
_FILE = "consent.json"


@dataclass(frozen=True, slots=True)
class Consent:
    """The programs and limits of a run, as they were typed.

    Args:
        plan: the plan: a file, or `increment:ID`.
        worker, auditor, usage, hook: argument lists; empty: there is none.
        usage_file: a JSON file in place of the usage script.
        agreed: the acceptance commands that may run.
        jobs: the number of workers side by side.
        timeout: seconds that a worker may take.
        max_cost, max_tokens: the run pauses above these; 0: no limit.
        pass_env: variables with credentials that workers get.
        worktrees: whether each task gets a git worktree.
        on: the dispatcher of other machines that start the programs; empty: this one does.
    """

    plan: str
    worker: Argv
    auditor: Argv = ()
    usage: Argv = ()
    usage_file: str = ""
    hook: Argv = ()
    agreed: frozenset[Argv] = frozenset()
    jobs: int = 4
    timeout: float = 900.0
    max_cost: float = 0.0
    max_tokens: int = 0
    pass_env: tuple[str, ...] = ()
    worktrees: bool = False
    on: str = ""

    def agree(self, commands: Iterable[Argv]) -> Consent:
        return replace(self, agreed=self.agreed | frozenset(commands))

    def reached(self, *, cost: float, tokens: int) -> dict[str, float]:
        """The limits that the workers have reached, by their options, with twice the use."""
        use = {"--max-cost": (self.max_cost, cost), "--max-tokens": (self.max_tokens, tokens)}
        return {name: 2 * used for name, (most, used) in use.items() if most and used >= most}

    def missing(self, plan: Plan) -> list[str]:
        """The tasks with acceptance commands without consent."""
        return [
            task.id
            for task in plan.tasks.values()
            if not self.agreed.issuperset(command.argv for command in task.commands)
        ]


def prepare_consent(root: Path) -> None:
    """Make the folder for consents; StoreError: it cannot be written."""
    make_checkout_folder(root)


def save_consent(root: Path, run: str, consent: Consent) -> None:
    """Keep a consent, readable by its owner alone."""
    entry = asdict(consent) | {"agreed": sorted(map(list, consent.agreed))}
    folder = make_checkout_folder(root) / "runs" / run
    make_private(folder)
    replace_file(folder / _FILE, json.dumps(entry, indent=1).encode(), mode=PRIVATE)


def read_consent(root: Path, run: str, *, command: str = "resume") -> Consent:
    """The consent for a run; UsageError `run-no-consent`, with the command that asks for one."""
    try:
        raw = json_or_none(read_file(_place(root, run)).decode(errors="replace"))
        return _consent(raw)
    except (FileNotFoundError, KeyError, TypeError, ValueError):
        message = f"the run '{run}' has no consent of yours on this machine"
        hint = f"unlatch run {command} {quote(run)} --worker COMMAND"
        raise UsageError("run-no-consent", message, hint=hint) from None


def consent_reader(root: Path, run: str) -> Callable[[], Consent]:
    """Reads the consent for a run, raising as `read_consent`, again only if it was replaced."""
    cache: dict[tuple[int, int, int], Consent] = {}

    def read() -> Consent:
        with suppress(FileNotFoundError):
            stat = _place(root, run).lstat()
            version = (stat.st_ino, stat.st_mtime_ns, stat.st_size)
            if version not in cache:
                cache.clear()
                cache[version] = read_consent(root, run)
            return cache[version]
        return read_consent(root, run)

    return read


def _place(root: Path, run: str) -> Path:
    if folder := checkout_folder(root):
        return folder / "runs" / run / _FILE
    raise FileNotFoundError


def _consent(raw: Any) -> Consent:
    lists = ("worker", "auditor", "usage", "hook", "pass_env")
    fields = dict(raw)
    fields |= {name: tuple(map(str, fields[name])) for name in lists}
    fields["agreed"] = frozenset(tuple(map(str, argv)) for argv in fields["agreed"])
    # JSON has one type of numbers.
    fields |= {name: float(fields[name]) for name in ("timeout", "max_cost")}
    blank = Consent("", ())
    if any(type(value) is not type(getattr(blank, name, None)) for name, value in fields.items()):
        raise TypeError
    return Consent(**fields)
