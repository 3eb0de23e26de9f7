"""Nodes that work on tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.unlatch_fleet.tasks.fleet_harness import FleetHarness, Stage

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.servers.postgres import Postgres


@pytest.fixture(scope="module")
def module_stage(
    tmp_path_factory: pytest.TempPathFactory, postgres_server: Postgres, _template: str
) -> Iterator[Stage]:
    """One node for all tests of a module."""
    with postgres_server.database(_template) as address:
        stage = Stage(tmp_path_factory.mktemp("stage"), address)
        program = " ".join(stage.journal.command)
        stage.node("east", programs=[program, "sh -c *"])
        yield stage
        stage.end()


@pytest.fixture
def stage(tmp_path: Path, database: str) -> Iterator[Stage]:
    """No node yet."""
    stage = Stage(tmp_path, database)
    yield stage
    stage.end()


@pytest.fixture
def fleet(module_stage: Stage) -> Iterator[FleetHarness]:
    """Dispatchers of a run of its own."""
    harness = FleetHarness(module_stage)
    yield harness
    harness.end()
