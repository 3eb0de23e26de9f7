"""Every target reads its seeds, and finds a fault that is planted."""

from importlib import import_module
from pathlib import Path

import pytest
from tests.fuzz.__main__ import fuzz
from tests.fuzz.catalog import CATALOG
from tests.fuzz.target import Target

every_target = pytest.mark.parametrize("name", CATALOG)


def target(name: str) -> Target:
    module, _ = CATALOG[name]
    loaded: Target = import_module(f"tests.fuzz.readers.{module}").TARGETS[name]
    return loaded


@every_target
def test_seeds_are_read_without_a_fault(name: str) -> None:
    reader = target(name)

    results = [reader.read(seed) for seed in reader.seeds()]

    assert any(result is not None for result in results)
    assert not any(map(reader.planted, results))


@every_target
@pytest.mark.sweep
def test_a_planted_fault_is_found_within_a_minute(name: str, tmp_path: Path) -> None:
    pytest.importorskip("atheris", reason="pip install --group fuzz")
    piece = fuzz(name, tmp_path, seconds=60, planted=True)

    assert (tmp_path / "planted").exists(), piece
    assert 0 < piece.edges[0] < piece.edges[1]
    assert () == piece.faults
