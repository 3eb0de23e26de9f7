"""Every target reads its seeds, and finds a fault that is planted."""

from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import pytest
from tests.fuzz.__main__ import fuzz
from tests.fuzz.catalog import CATALOG
from tests.fuzz.target import Target

from unlatch.worklog.entry_points import entry_points
from unlatch_agents.transcripts import agents

every_target = pytest.mark.parametrize("name", CATALOG)


def target(name: str) -> Target:
    module, _ = CATALOG[name]
    loaded: Target = import_module(f"tests.fuzz.readers.{module}").TARGETS[name]
    return loaded


def test_every_layout_tracker_and_agent_has_a_target() -> None:
    own = {"unlatch", "specweave"}  # `native` reads both
    layouts = entry_points("unlatch.layouts").keys() - own
    names = (one.name for one in iter_modules(agents.__path__, f"{agents.__name__}."))
    readers = {getattr(import_module(name), "AGENT", "") for name in names} - {""}

    assert {"native", *layouts, *entry_points("unlatch.plugins"), *readers} <= CATALOG.keys()
    assert (4, 5) == (len(layouts), len(readers))


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
