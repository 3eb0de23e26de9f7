"""The words of config.toml that have a meaning."""

from enum import StrEnum

from unlatch.increments.files.paths import SESSIONS

__all__ = [
    "SESSIONS",
    "AutoSave",
    "CommentStyle",
    "EvidencePolicy",
    "Part",
    "Provider",
    "Reaction",
    "SubagentMode",
]


class CommentStyle(StrEnum):
    """The length of comments."""

    FULL = "full"
    SHORT = "short"
    NONE = "none"


class Provider(StrEnum):
    """The way to a chat model."""

    OPENAI = "openai"
    LITELLM = "litellm"


class SubagentMode(StrEnum):
    """The place of a subagent's log in a session."""

    INLINE = "inline"  # in the callout
    LINK = "link"  # in its own file, which the callout names
    EMBED = "embed"  # in its own file, which is shown in place of the callout


class AutoSave(StrEnum):
    """The moments when a session's file is written."""

    PHASE = "phase"  # when a phase ends
    CALL = "call"  # after each entry
    INTERVAL = "interval"  # after a time


class EvidencePolicy(StrEnum):
    """What `complete` does without evidence of a change since the last reopen."""

    WARN = "warn"
    REQUIRE = "require"
    OFF = "off"


class Reaction(StrEnum):
    """What a cause leads to, the weakest first."""

    IGNORE = "ignore"  # it is listed
    SUGGEST = "suggest"
    REOPEN = "reopen"


class Part(StrEnum):
    """A part of an item that unlatch may write."""

    STATUS = "status"
    COMMENT = "comment"
    LABELS = "labels"
    BODY = "body"
    CREATE = "create"
