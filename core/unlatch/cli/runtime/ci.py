"""The CI system that runs a command: a package knows it, which only a command in a job loads.

The package registers functions by entry points of the group `unlatch.ci`: `is_fork`, `error`,
`preview` and `result` for a job, and `publisher` for a sync that publishes.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING, Any

from unlatch.errors import PluginBroken

if TYPE_CHECKING:
    from collections.abc import Mapping

_GROUP = "unlatch.ci"
# The variables of GitHub Actions, Azure Pipelines and GitLab CI.
SIGNS = ("GITHUB_ACTIONS", "TF_BUILD", "GITLAB_CI")


def in_job(environ: Mapping[str, str] = os.environ) -> bool:
    """Whether a CI system runs this process."""
    return any(environ.get(sign, "").casefold() == "true" for sign in SIGNS)


def part(name: str) -> Any:
    """A function of the package for CI systems.

    Raises:
        PluginBroken: `plugin-broken`: the package cannot be loaded.
    """
    from unlatch.worklog.entry_points import entry_points  # noqa: PLC0415  (only in a job)

    target = entry_points(_GROUP)[name]
    module, _, attribute = target.partition(":")
    try:
        return getattr(import_module(module), attribute)
    except Exception as error:
        message = f"the CI systems cannot be loaded: {error}"
        raise PluginBroken("plugin-broken", message, where=target) from error
