"""After any fault of a request, the operation is done once in the end."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.crash.cell import AIMS
from tests.crash.fault_matrix import TRACKERS, Matrix, Told

from unlatch_sandbox import Sandbox

# Of each operation, on one of the trackers; `make torture` runs all cells.
SAMPLE = 1


@pytest.fixture(scope="module")
def box() -> Iterator[Sandbox]:
    with Sandbox() as box:
        yield box


@pytest.mark.parametrize("operation", AIMS)
@pytest.mark.parametrize("tracker", TRACKERS)
def test_a_fault_at_any_request_changes_nothing_in_the_end(
    box: Sandbox,
    tmp_path: Path,
    tracker: str,
    operation: str,
    record_property: Callable[[str, object], None],
) -> None:
    told = Told()

    Matrix(box, tracker, operation, tmp_path).run(told, sample=SAMPLE)

    record_property("fault matrix", f"{tracker} {operation}: {told.cells} cells")
    assert {} == told.wrong
    assert SAMPLE == told.cells
    # Every one of them was delivered, none is blocked for good.
    assert {"done after 0 syncs", "done after 1 syncs"} >= set(told.ends)
