"""The measuring of the benchmarks itself."""

import sys
from hashlib import sha256
from pathlib import Path

import pytest
from benchmarks.children import peak_memory, run
from benchmarks.figures import Figure, NotMeasured
from benchmarks.other_tree import against
from benchmarks.small_model import join
from benchmarks.tricks import TRICKS, program
from tests.pairs import sampled


def test_the_peak_of_memory_is_that_of_the_command_alone() -> None:
    """This process is larger than either, and a program begins with the peak of its parent."""
    small = peak_memory((sys.executable, "-c", "pass"))
    large = peak_memory((sys.executable, "-c", "b'x' * 60_000_000"))
    assert small < 30
    assert 50 < large - small < 70


@pytest.mark.parametrize("trick", sampled(TRICKS, [*TRICKS][::5]))
def test_each_trick_of_the_start_can_be_undone(tmp_path: Path, trick: str) -> None:
    folder = tmp_path / ".unlatch/increments/0001-search"
    folder.mkdir(parents=True)
    (folder / "metadata.json").write_text('{"id": "0001-search", "status": "active"}')
    undone = (sys.executable, "-P", "-c", program("0001-search", TRICKS[trick][0]))
    assert run(undone, cwd=tmp_path).cpu > 0


def checkout(folder: Path, what: str) -> str:
    """The unlatch of a checkout whose benchmarks measure one figure, if they get its options."""
    (folder / "benchmarks").mkdir()
    program = folder / ".venv" / "bin" / "python"
    program.parent.mkdir(parents=True)
    entry = f'[{{"what": "{what}", "baseline": "minimum", "measured": 4}}]'
    told = "-m benchmarks sync --items 9 --json"
    program.write_text(f"#!/bin/sh\n[ \"$*\" = '{told}' ] && echo '{entry}' || echo no >&2\n")
    program.chmod(0o755)
    return str(program.with_name("unlatch"))


def test_figures_are_compared_with_those_of_another_checkout(tmp_path: Path) -> None:
    other = checkout(tmp_path, "9 items")
    figures = [
        Figure("sync", "9 items", 2, "requests", amount, None, baseline)
        for amount, baseline in ((1, "minimum"), (8, "loop"))
    ]
    (row,) = against("sync", figures, other, "--items", "9")
    assert (2, 4, other) == (row.measured, row.against, row.baseline)
    with pytest.raises(NotMeasured, match="no"):
        [*against("sync", figures, other)]


def test_nothing_to_compare_is_no_success(tmp_path: Path) -> None:
    other = checkout(tmp_path, "1,000 items")
    figures = [Figure("sync", "9 items", 2, "requests", 1, None, "minimum")]
    with pytest.raises(NotMeasured, match="no figure of the same name"):
        [*against("sync", figures, other, "--items", "9")]


def test_only_an_expected_exit_code_is_measured() -> None:
    failing = (sys.executable, "-c", "raise SystemExit(5)")
    assert peak_memory(failing, expected=(0, 5)) > 0
    with pytest.raises(NotMeasured, match="exited 5"):
        peak_memory(failing)


def test_the_parts_of_a_model_are_joined_only_to_the_expected_one(tmp_path: Path) -> None:
    parts = [tmp_path / "part2", tmp_path / "part10"]
    for part in parts:
        part.write_bytes(part.name.encode() * 400_000)
    whole = b"".join(part.read_bytes() for part in parts)
    join(parts, tmp_path / "model", sha256(whole).hexdigest())
    assert (tmp_path / "model").read_bytes() == whole
    with pytest.raises(SystemExit, match="not the expected model"):
        join(parts[::-1], tmp_path / "other", sha256(whole).hexdigest())
    assert {one.name for one in tmp_path.iterdir()} == {"part2", "part10", "model"}
