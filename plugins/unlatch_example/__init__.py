"""The manifest of the example: a plugin for Roundup (https://www.roundup-tracker.org)."""

from unlatch.spi import Capability, EnvToken, LinkShape, Manifest, Scheme

manifest = Manifest(
    name="roundup",
    title="Roundup",
    noun="issue",
    link=LinkShape(item="issue", url="url", number=True),
    synced=LinkShape(item="issueNumber", url="issueUrl", number=True),
    settings=f"{__name__}.settings:RoundupSettings",
    plugin=f"{__name__}.plugin:RoundupPlugin",
    requires=("requests", "unlatch-roundup"),
    capabilities=frozenset({Capability.CLOSE, Capability.REOPEN, Capability.STATUS}),
    tokens=(EnvToken("ROUNDUP_PASSWORD", Scheme.BASIC, user="ROUNDUP_USER"),),
    hosts=(),  # no public one: UNLATCH_TRUSTED_HOSTS trusts an organization's own
    spi_version=2,
)
