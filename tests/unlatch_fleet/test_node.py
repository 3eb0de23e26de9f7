"""Nodes: units of many repositories, taken over from nodes that die."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.fleet.nodes import nodes_of

if TYPE_CHECKING:
    from tests.unlatch_fleet.repositories import Fleet


def test_nodes_deliver_each_repository_once(fleet: Fleet, database: str) -> None:
    for _ in range(6):
        fleet.add()
    fleet.write()
    with nodes_of(fleet, database, 2) as nodes:
        nodes.wait(nodes.is_idle)
        assert all(fleet.is_delivered(repository) for repository in fleet.repositories)
        assert [0, 0] == [node.stop() for node in nodes.nodes]
