"""The fleet's figures for Prometheus. Names of repositories are those of fleet.toml alone."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from prometheus_client import CONTENT_TYPE_LATEST as CONTENT_TYPE
from prometheus_client import CollectorRegistry, Metric, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.registry import Collector

from unlatch_fleet.serve.page import PERSON

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from unlatch_fleet.database.rows import Status

__all__ = ["CONTENT_TYPE", "write_metrics"]
_NAME = "unlatch_fleet"


def write_metrics(status: Status, messages: Mapping[tuple[str, str], int]) -> bytes:
    """The figures in Prometheus' text format.

    Args:
        status: of the database.
        messages: how many messages of each hook came to what, in this process.
    """
    registry = CollectorRegistry()
    registry.register(_Figures([*_of_units(status), *_of_means(status), _of(messages)]))
    return generate_latest(registry)


class _Figures(Collector):
    def __init__(self, families: list[Metric]) -> None:
        self._families = families

    def collect(self) -> list[Metric]:
        return self._families


def _of_units(status: Status) -> Iterator[Metric]:
    ages = _gauge("queue_age_seconds", "Age of the oldest request that waits", "repository")
    persons = _gauge("waiting_for_person", "1 if a person has to act", "repository", "error")
    states = _gauge("repositories", "Repositories by their state", "state")
    for row in status.repositories:
        if row.waiting_since:
            age = (status.at - row.waiting_since).total_seconds()
            ages.add_metric([row.repository], max(0.0, age))
        if row.state == PERSON:
            persons.add_metric([row.repository, row.error or ""], 1)
    for state, count in sorted(Counter(row.state for row in status.repositories).items()):
        states.add_metric([state], count)
    units = _gauge("units_last_hour", "Units that ended within an hour", "outcome")
    for outcome, count in status.recent.items():
        units.add_metric([outcome], count)
    yield from (ages, persons, states, units)


def _of_means(status: Status) -> Iterator[Metric]:
    labels = ("account", "kind")
    used = _gauge("budget_used", "Requests within the last hour", *labels)
    limits = _gauge("budget_limit", "Requests that the limit of the longest time allows", *labels)
    for budget in status.budgets:
        used.add_metric([budget.account, budget.kind], budget.used)
        if budget.most is not None:
            limits.add_metric([budget.account, budget.kind], budget.most)
    nodes = _gauge("nodes_alive", "Nodes that are not silent for longer than their lease")
    nodes.add_metric([], sum(not node.is_silent for node in status.nodes))
    yield from (used, limits, nodes)


def _of(messages: Mapping[tuple[str, str], int]) -> Metric:
    description = "Messages with the right secret, since the start"
    family = CounterMetricFamily(f"{_NAME}_webhooks", description, labels=("webhook", "result"))
    for labels, count in sorted(messages.items()):
        family.add_metric(labels, count)
    return family


def _gauge(name: str, description: str, *labels: str) -> GaugeMetricFamily:
    return GaugeMetricFamily(f"{_NAME}_{name}", description, labels=labels)
