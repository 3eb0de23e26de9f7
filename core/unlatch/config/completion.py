"""The table of config.toml about completing increments."""

from pydantic import Field

from unlatch.config.choices import EvidencePolicy
from unlatch.config.tables import Table


class CompletionConfig(Table):
    """What has to be so before an increment is completed."""

    evidence: EvidencePolicy = Field(
        EvidencePolicy.WARN,
        description="Reaction of `complete` if nothing changed since the last reopen: `warn`, "
        "`require` (fail without `--force`), or `off`",
    )
