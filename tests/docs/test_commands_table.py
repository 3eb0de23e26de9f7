"""docs/commands.md lists every command that reaches a tracker, and every exit code."""

from pathlib import Path

from tests.docs.pages import ROOT, tables

from unlatch.cli.commands.trackers.tracker import tracker_group
from unlatch.cli.runtime.failure import DECLINED, INTERRUPTED, UNAUTHORISED, UNDECIDED, UNDELIVERED
from unlatch.cli.table import Reach, all_commands
from unlatch.errors import UnlatchError, UsageError
from unlatch.project.registry import Registry

GUIDE = ROOT / "docs/commands.md"
# The first word of the last column.
_WORDS = {Reach.READS: "reads", Reach.WRITES: "writes"}


def _rows(page: Path, heading: str) -> list[list[str]]:
    (found,) = [rows for rows in tables(page) if rows[0][0] == heading]
    return found[1:]


def _first_word(cell: str) -> str:
    return cell.replace(":", " ").replace(";", " ").replace(",", " ").split()[0].lower()


def test_every_command_that_reaches_a_tracker_is_in_the_table() -> None:
    shown = {row[0]: _first_word(row[2]) for row in _rows(GUIDE, "Command")}
    reached = {name: one.reach for name, one in all_commands().items()}
    commands = {name: _WORDS[one] for name, one in reached.items() if one is not Reach.LOCAL}
    assert commands | _tracker_commands() == shown


def _tracker_commands() -> dict[str, str]:
    """The commands of the trackers' groups, as `TRACKER create-ITEM`."""
    found: dict[str, str] = {}
    for name, manifest in Registry().manifests.items():
        for command, made in tracker_group(name).commands.items():
            reach = next(one for one in Reach if (made.help or "").endswith(one.value))
            found[f"TRACKER {command.replace(manifest.slug, 'ITEM')}"] = _WORDS[reach]
    return found


def test_every_exit_code_is_listed() -> None:
    codes = {0, UnlatchError.exit_code, UsageError.exit_code, DECLINED, UNDELIVERED}
    codes |= {UNAUTHORISED, UNDECIDED, INTERRUPTED}
    assert sorted(codes) == [int(row[0]) for row in _rows(GUIDE, "Exit code")]
