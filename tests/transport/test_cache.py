"""The cache of plugins between runs."""

import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from unlatch.transport import Cache

DAY = 24 * 60 * 60


class Clock:
    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


def test_keeps_a_value_for_a_day_or_without_a_limit_and_believes_none_from_the_future(
    tmp_path: Path,
) -> None:
    clock = Clock()
    Cache(tmp_path, seconds=DAY, now=clock).put("a", "b", value={"x": 1})
    clock.now += DAY - 1
    assert Cache(tmp_path, seconds=DAY, now=clock).get("a", "b") == {"x": 1}
    clock.now += 1
    assert Cache(tmp_path, seconds=DAY, now=clock).get("a", "b") is None
    clock = Clock()
    Cache(tmp_path, now=clock).put("a", value=[1])
    clock.now += 1000 * DAY
    assert Cache(tmp_path, now=clock).get("a") == [1]
    clock = Clock()
    cache = Cache(tmp_path, seconds=DAY, now=clock)
    cache.put("a", value=1)
    clock.now -= 10
    assert cache.get("a") is None
    clock = Clock()
    cache = Cache(tmp_path, seconds=DAY, now=clock)
    cache.put("old", value=1)
    clock.now += DAY / 2
    cache.put("new", value=2)
    clock.now += DAY / 2
    assert (cache.get("old"), cache.get("new")) == (None, 2)


def test_a_file_that_was_changed_or_is_another_values_is_not_believed(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    cache.put("a", value={"state": "closed"})
    [file] = tmp_path.iterdir()
    kept = file.read_text()
    file.write_text(json.dumps(json.loads(kept) | {"value": {"state": "open"}}))
    assert cache.get("a") is None
    cache.put("b", value=2)
    [other] = [one for one in tmp_path.iterdir() if one != file]
    other.write_text(kept)
    assert cache.get("b") is None


def test_the_oldest_files_make_room(tmp_path: Path) -> None:
    cache = Cache(tmp_path, most=2)
    for at, name in enumerate("abc"):
        cache.put(name, value=name)
        for file in tmp_path.glob(f"{name}-*"):
            os.utime(file, (at, at))
    assert [None, "b", "c"] == [cache.get(name) for name in "abc"]


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"version": 99}', "\udcff"])
def test_a_file_that_cannot_be_read_is_as_good_as_none(tmp_path: Path, text: str) -> None:
    cache = Cache(tmp_path)
    cache.put("a", value=1)
    [file] = tmp_path.iterdir()
    file.write_bytes(text.encode("utf-8", "surrogateescape"))
    assert cache.get("a") is None
    cache.put("a", value=2)
    assert cache.get("a") == 2


def test_runs_side_by_side_never_read_half_a_file(tmp_path: Path) -> None:
    values = ["x" * size for size in (1, 100_000)]
    cache = Cache(tmp_path)
    cache.put("a", value=values[0])

    def work(number: int) -> bool:
        cache.put("a", value=values[number % 2])
        return Cache(tmp_path).get("a") in values

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(work, range(60)))
    assert len(list(tmp_path.iterdir())) == 1
