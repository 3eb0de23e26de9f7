"""The trackers' tables of the configuration, checked by their plugins' models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unlatch.config.config import checked

if TYPE_CHECKING:
    from collections.abc import Callable

    from unlatch.config.config import RawConfig
    from unlatch.project.registry import Registry
    from unlatch.spi import Settings


def check_config(
    raw: RawConfig, registry: Registry, load: Callable[[str], Any]
) -> tuple[dict[str, Settings], tuple[str, ...]]:
    """The trackers' settings by name, and every mistake in the whole configuration."""
    settings: dict[str, Settings] = {}
    problems = list(raw.problems)
    for name, table in raw.trackers.items():
        manifest = registry.manifests.get(name)
        if manifest is None:
            known = ", ".join(registry.manifests)
            problems.append(f"trackers.{name}: no plugin of this name; installed are {known}")
            continue
        model, found = checked(load(manifest.settings), table, prefix=f"trackers.{name}")
        problems += found
        for key, label in raw.core.labels:
            if problem := manifest.label_problem(label):
                problems.append(f"labels.{key}: {problem} (for {manifest.title})")
        if model is not None:
            settings[name] = model
    return settings, tuple(problems)
