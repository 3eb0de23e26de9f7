"""The environment of programs that work for the user: theirs, without the trackers' tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from unlatch.spi import EnvToken

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from unlatch.project.registry import Registry

# With which the template for GitLab pushes.
_PUSH_TOKEN = "UNLATCH_PUSH_TOKEN"  # noqa: S105  (the name of a variable)


def secret_variables(registry: Registry) -> frozenset[str]:
    """The variables that hold credentials of trackers, for unlatch and for their own tools."""
    names = {_PUSH_TOKEN}
    for manifest in registry.manifests.values():
        names |= {token.token for token in manifest.tokens if isinstance(token, EnvToken)}
        names |= {*manifest.secret_env}
    return frozenset(names)


def program_environment(
    environ: Mapping[str, str], *, secrets: Collection[str], passed: Collection[str] = ()
) -> dict[str, str]:
    """An environment without secrets.

    Args:
        secrets: the names of variables, in any case.
        passed: names among them that the user's command line passes on (`--pass-env NAME`).
    """
    held = {name.upper() for name in secrets} - {name.upper() for name in passed}
    return {name: value for name, value in environ.items() if name.upper() not in held}
