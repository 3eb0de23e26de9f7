"""The memory of results loses nothing to a crash, a full disk, or another clone."""

import os
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import pytest
from tests.crash.boundaries import dies, in_fork, passed_in

from unlatch.errors import StoreError
from unlatch.increments.files.paths import RESULTS
from unlatch_regressions.results.memory import (
    LOG,
    Ran,
    event_of,
    read_memory,
    remembered_runs,
    write_memory,
)
from unlatch_regressions.results.reports import Result
from unlatch_regressions.results.runs import Run

_PLACES = {f"{place:040x}": place for place in range(30)}
_AT = datetime(2026, 3, 1, tzinfo=UTC)


def _lines(first: int, count: int) -> list[Ran]:
    results = (Result.PASSED, Result.FAILED)
    return [
        event_of("test_finds", Run(place, f"{place:040x}", _AT, results[place % 2]), by="dana")
        for place in range(first, first + count)
    ]


def _kept(root: Path) -> list[int]:
    events = read_memory(root, branch="main", with_files=True).events
    return [run.place for run in remembered_runs(events, _PLACES).get("test_finds", ())]


def _write(root: Path) -> None:
    write_memory(root, _lines(10, 2), _PLACES, is_default=True)


@pytest.mark.sweep
def test_a_death_at_any_boundary_loses_no_result(tmp_path: Path) -> None:
    def place(name: str) -> Path:
        root = tmp_path / name
        root.mkdir()
        write_memory(root, _lines(0, 10), _PLACES, is_default=False)
        with (root / ".unlatch" / RESULTS).open("ab") as file:
            file.write(b'{"cut')  # by an earlier crash
        return root

    whole = place("whole")
    names = passed_in(partial(_write, whole))
    assert len(names) > 6, names
    assert [*range(2, 12)] == _kept(whole)
    for number in range(1, len(names) + 1):
        root = place(str(number))
        write = partial(_write, root)
        assert dies(write, number)
        assert {*range(2, 10)} <= {*_kept(root)}
        assert 0 == in_fork(write)
        assert [*range(2, 12)] == _kept(root)
        assert b'{"cut' in (root / ".unlatch" / RESULTS).read_bytes()


def test_two_clones_that_add_lines_are_merged_by_union(tmp_path: Path) -> None:
    assert 0 == write_memory(tmp_path, _lines(2, 3), _PLACES, is_default=False)
    assert 2 == write_memory(tmp_path, _lines(0, 4), _PLACES, is_default=True)
    assert ([0, 1, 2, 3, 4], 5) == (_kept(tmp_path), len(LOG.read(tmp_path / ".unlatch")))


def test_lines_of_commits_that_the_branch_lost_do_not_count(tmp_path: Path) -> None:
    lost = event_of("test_finds", Run(0, "f" * 40, _AT, Result.FAILED), by="dana")
    write_memory(tmp_path, [lost, *_lines(0, 11)], _PLACES, is_default=True)
    assert [*range(1, 11)] == _kept(tmp_path)
    assert 10 == len(LOG.read(tmp_path / ".unlatch"))


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
def test_a_memory_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / ".unlatch").mkdir()
    (tmp_path / ".unlatch").chmod(0o500)
    with pytest.raises(StoreError, match="cannot write"):
        _write(tmp_path)


def test_a_link_in_place_of_the_memory_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / ".unlatch").mkdir()
    target = tmp_path / "other"
    target.write_text("mine\n")
    (tmp_path / ".unlatch" / RESULTS).symlink_to(target)
    with pytest.raises(StoreError):
        _write(tmp_path)
    assert "mine\n" == target.read_text()
