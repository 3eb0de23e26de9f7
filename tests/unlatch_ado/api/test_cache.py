from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from unlatch_ado.api.cache import DAY, Cache

if TYPE_CHECKING:
    from pathlib import Path


class Clock:
    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


def test_keeps_a_value_for_a_day_and_no_longer(tmp_path: Path) -> None:
    clock = Clock()
    Cache(tmp_path, now=clock).put("a", "b", value={"x": 1})
    clock.now += DAY - 1
    assert Cache(tmp_path, now=clock).get("a", "b") == {"x": 1}
    clock.now += 1
    assert Cache(tmp_path, now=clock).get("a", "b") is None


def test_a_value_from_the_future_is_not_believed(tmp_path: Path) -> None:
    clock = Clock()
    cache = Cache(tmp_path, now=clock)
    cache.put("a", value=1)
    clock.now -= 10
    assert cache.get("a") is None


def test_another_value_does_not_make_one_younger(tmp_path: Path) -> None:
    clock = Clock()
    cache = Cache(tmp_path, now=clock)
    cache.put("old", value=1)
    clock.now += DAY / 2
    cache.put("new", value=2)
    clock.now += DAY / 2
    assert (cache.get("old"), cache.get("new")) == (None, 2)


def test_names_are_not_run_together(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.put("a", "bc", value=1)
    assert cache.get("ab", "c") is None


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"version": 99}', "\udcff"])
def test_a_file_that_cannot_be_read_is_as_good_as_none(tmp_path: Path, text: str) -> None:
    cache = Cache(tmp_path)
    cache.put("a", value=1)
    [file] = tmp_path.iterdir()
    file.write_bytes(text.encode("utf-8", "surrogateescape"))
    assert cache.get("a") is None
    cache.put("a", value=2)
    assert cache.get("a") == 2


def test_a_folder_that_cannot_be_written_costs_only_the_cache(tmp_path: Path) -> None:
    cache = Cache(tmp_path / "missing")
    cache.put("a", value=1)
    assert cache.get("a") is None


def test_runs_side_by_side_never_read_half_a_file(tmp_path: Path) -> None:
    values = ["x" * size for size in (1, 100_000)]
    cache = Cache(tmp_path)
    cache.put("a", value=values[0])

    def work(number: int) -> bool:
        cache.put("a", value=values[number % 2])
        return Cache(tmp_path).get("a") in values

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(200)))
    assert len(list(tmp_path.iterdir())) == 1
