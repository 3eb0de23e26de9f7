"""Roundup (https://www.roundup-tracker.org) for unlatch."""

from __future__ import annotations

from unlatch.spi import Capability, EnvToken, LinkShape, Manifest, Scheme


def label_problem(label: str) -> str | None:
    """Roundup takes names of keywords in lists by comma, and numbers for their ids."""
    if not label.strip():
        return "a keyword must not be empty"
    if "," in label or label.lstrip("+-").isdigit():
        return "a keyword must not hold a comma, nor be a number"
    return None


manifest = Manifest(
    name="roundup",
    title="Roundup",
    noun="issue",
    link=LinkShape(item="issue", url="url", number=True),
    synced=LinkShape(item="issueNumber", url="issueUrl", number=True),
    settings="unlatch_roundup.settings:RoundupSettings",
    plugin="unlatch_roundup.plugin:RoundupPlugin",
    requires=("requests", "unlatch-roundup"),
    capabilities=frozenset(
        {
            Capability.CREATE,
            Capability.CLOSE,
            Capability.REOPEN,
            Capability.STATUS,
            Capability.LABELS,
        }
    ),
    tokens=(EnvToken("ROUNDUP_PASSWORD", Scheme.BASIC, user="ROUNDUP_USER"),),
    hosts=(),  # everybody runs their own: it is trusted by UNLATCH_TRUSTED_HOSTS
    label_problem=label_problem,
    spi_version=2,
)
