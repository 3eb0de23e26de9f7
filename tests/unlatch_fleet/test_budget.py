"""Units share the limits of an account, whatever token and process they have."""

from __future__ import annotations

from pathlib import Path

import pytest

from unlatch.errors import Limited
from unlatch.transport.account import Account, NodeBudget
from unlatch.transport.rate_limits import Kind, Pace, Turn
from unlatch.transport.testing import SkippingClock
from unlatch_fleet.budget import MachineRows, UnitBudget, serve_budget

PACE = Pace(limits=((3, 60.0),), apart=0.0, free=9)
KEY = b"k" * 32


def _turns(path: Path, token: str, count: int, *, host: str = "api.github.com") -> list[Turn]:
    """The turns of a new process with its own token."""
    account = Account(None, host, token, SkippingClock())
    budget = NodeBudget(str(path), "github", account, PACE)
    return [budget.reserve(token, Kind.COMMENT, 1, within=5.0) for _ in range(count)]


def test_tokens_of_one_account_share_its_limit_beyond_a_restart(tmp_path: Path) -> None:
    # Two units, then a node that was started anew on the same machine.
    granted = []
    for token in ("first", "second", "third"):
        unit = UnitBudget(MachineRows(tmp_path), lambda *_: "installation 7", key=KEY)
        with serve_budget(unit) as path:
            granted += [turn.granted for turn in _turns(path, token, 2)]
            others = _turns(path, token, 1, host="github.example.com")
    assert [True, True, True, False, False, False] == granted
    assert [True] == [turn.granted for turn in others]


def test_accounts_have_limits_of_their_own(tmp_path: Path) -> None:
    rows = MachineRows(tmp_path)
    for name in ("installation 7", "installation 8"):
        with serve_budget(UnitBudget(rows, lambda *_, name=name: name, key=KEY)) as path:
            assert [True, True, True, False] == [turn.granted for turn in _turns(path, "t", 4)]
    assert not any(b"installation" in file.read_bytes() for file in tmp_path.iterdir())


@pytest.mark.parametrize("answer", [None, b"", b"{}\n", b"no JSON\n"])
def test_nothing_is_sent_while_the_node_does_not_answer(
    tmp_path: Path, answer: bytes | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    unit = UnitBudget(MachineRows(tmp_path), lambda *_: "installation 7", key=KEY)
    with serve_budget(unit) as path:
        if answer is not None:
            monkeypatch.setattr(unit, "answer", lambda _: answer)
        asked = tmp_path / "gone" if answer is None else path
        with pytest.raises(Limited) as caught:
            _turns(asked, "t", 1)
    assert ("budget-unavailable", True) == (caught.value.id, caught.value.withheld)


@pytest.mark.parametrize("line", [b"", b"\xff", b"[]\n", b'{"kind": "other"}\n'])
def test_a_question_that_is_not_understood_gets_no_answer(tmp_path: Path, line: bytes) -> None:
    unit = UnitBudget(MachineRows(tmp_path), lambda *_: "installation 7", key=KEY)
    assert b"" == unit.answer(line)
