"""How much a reopen adds to metadata.json."""

from pathlib import Path

from tests.cli.work.record_size import Measured, measure_growth

from unlatch_sandbox import Sandbox

# What `python -m tests.cli.work.record_size` printed before effects had one line: the bytes and
# lines of the first of 21 reopens, and of each further one.
FIRST, FURTHER = (2281, 96), (2076, 73)


def test_a_reopen_of_two_items_adds_a_third_of_what_it_added(tmp_path: Path) -> None:
    with Sandbox() as box:
        measured = Measured(box, tmp_path)
        measured.link(is_each=False)
        first, both = (growth for _, growth in measure_growth(measured, reopens=2))

    further = [one - other for one, other in zip(both, first, strict=True)]
    assert all(3 * now <= before for now, before in zip(first, FIRST, strict=True)), first
    assert all(3 * now <= before for now, before in zip(further, FURTHER, strict=True)), further
