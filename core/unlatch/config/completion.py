"""The table of config.toml about completing increments."""

from unlatch.config.choices import EvidencePolicy
from unlatch.spi.tables import Table, setting


class CompletionConfig(Table):
    """What has to be so before an increment is completed."""

    evidence: EvidencePolicy = setting(
        default=EvidencePolicy.WARN,
        description="Reaction of `complete` if nothing changed since the last reopen: `warn`, "
        "`require` (fail without `--force`), or `off`",
    )
