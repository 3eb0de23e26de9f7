"""A sample of the two-machine matrix: each command first and second, each place and each fault.

The commands that sync take turns, as trackers do elsewhere; `make torture` runs the whole.
"""

from collections.abc import Iterator

import pytest
from tests.machines.cells import CELLS, COMMANDS, FAULTS, PLACES, Cell
from tests.machines.end_state import problems
from tests.machines.play import Clock, Field
from tests.pairs import covering

from unlatch_sandbox import Sandbox

_SYNCS = [name for name, command in COMMANDS.items() if command.is_sync]


def _sample() -> list[Cell]:
    known = {_in_turn(cell): cell for cell in CELLS if not cell.why_empty}
    return [known[values] for values in covering([cell for cell in known if cell[:1] != cell[1:2]])]


def _in_turn(cell: Cell) -> tuple[str, ...]:
    """The values of a cell, with one word for all that sync; none if it is not the turn of them."""
    turn = _SYNCS[(PLACES.index(cell.place) + FAULTS.index(cell.fault)) % len(_SYNCS)]
    if {cell.first, cell.second} & set(_SYNCS) - {turn}:
        return ()
    return tuple("sync" if value == turn else value for value in cell.values)


@pytest.fixture(scope="module")
def field(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Field]:
    clock = Clock()
    with Sandbox(clock=clock) as box:
        yield Field(box, clock, tmp_path_factory.mktemp("field"))


@pytest.mark.parametrize("cell", _sample(), ids=lambda cell: cell.name)
def test_two_machines_do_each_thing_once(field: Field, cell: Cell) -> None:
    played = field.play(cell)

    said = "\n".join(f"{ran}" for ran in (played.first, played.second, played.final))
    if found := problems(played):
        pytest.fail(f"{found}\n{said}")
    field.leave(played)
