"""What a repository's own git configuration, with its includes, could start in a checkout."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from unlatch.patterns import pattern
from unlatch.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator

    from unlatch.project.git.run import Settings

# Names as `git config --list` writes them: only what is between the first and the last dot keeps
# its case. The first are how CI systems leave the credential of a checkout.
_TO_REMOTE = pattern(r"core\.sshcommand|credential\..*|http\..*", re.DOTALL)
_PROGRAMS = pattern(
    r"core\.(?:alternaterefscommand|askpass|gitproxy)|gpg\.(?:.*\.)?program"
    r"|gpg\.ssh\.defaultkeycommand|hook\..*\.command|protocol\.(?:.*\.)?allow"
    r"|remote\..*\.(?:proxy|receivepack|uploadpack|vcs)",
    re.DOTALL,
)
_DRIVER = pattern(r"(filter|merge)\.(.*)\.(?:clean|smudge|process|driver)", re.DOTALL)
# The command whose output `read_settings` reads.
LISTING = ("config", "--list", "--show-scope", "--includes", "-z")
_OWN = ("local", "worktree")  # the scopes of a repository's configuration, in git's words
# What git runs in place of a merge driver that must not start: the file stays in conflict.
_NO_MERGE = "false"


@dataclass(frozen=True, slots=True)
class RepositorySettings:
    """The settings that git knows in a checkout.

    Args:
        entries: the scope, the name and the value of each, in git's order.
    """

    entries: tuple[tuple[str, str, str], ...]

    def programs(self, *, to_remote: bool) -> tuple[str, ...]:
        """The repository's own settings that start programs, or redirect credentials.

        Only the first and the last part of each name: an address between them may have a password.

        Args:
            to_remote: whether those that CI systems write for their checkouts are among them.
        """
        own = {name for scope, name, _ in self.entries if scope in _OWN}
        patterns = (_TO_REMOTE, _PROGRAMS) if to_remote else (_PROGRAMS,)
        listed = (name for name in own if any(pattern.fullmatch(name) for pattern in patterns))
        return tuple(sorted({_without_middle(name) for name in listed}))

    def without_drivers(self, *, needed: bool) -> Settings:
        """Settings that turn filters and merge drivers off, whoever set them up.

        Args:
            needed: whether git fails for a file that a filter should convert.

        Raises:
            ValueError: the name of a driver cannot be given to git.
        """
        return tuple(self._off(needed=needed))

    @property
    def filters(self) -> frozenset[str]:
        """The names of the filters that convert a file for a commit."""
        matches = (_DRIVER.fullmatch(name) for _, name, value in self.entries if value)
        return frozenset(m[2] for m in matches if m and m[0].endswith((".clean", ".process")))

    @property
    def allows_local(self) -> bool:
        """Whether the user lets git use repositories on this machine as remotes of any other."""
        name = "protocol.file.allow"
        return any(setting == name for scope, setting, _ in self.entries if scope not in _OWN)

    def _off(self, *, needed: bool) -> Iterator[tuple[str, str]]:
        matches = (_DRIVER.fullmatch(name) for _, name, _ in self.entries)
        for kind, name in sorted({(match[1], match[2]) for match in matches if match}):
            if "=" in name:
                raise ValueError(f"the name of {kind} driver {name!r} has an equals sign")
            if kind == "merge":
                yield f"merge.{name}.driver", _NO_MERGE
                continue
            for part in ("clean", "smudge", "process"):
                yield f"filter.{name}.{part}", ""
            yield f"filter.{name}.required", str(needed).lower()


def read_settings(listed: bytes) -> RepositorySettings:
    """The settings in the output of `LISTING`."""
    words = os.fsdecode(listed).split("\0")
    pairs = zip(words[::2], words[1::2], strict=False)
    named = ((scope, *entry.partition("\n")[::2]) for scope, entry in pairs)
    return RepositorySettings(tuple(named))


def _without_middle(name: str) -> str:
    first, last = name.partition(".")[0], name.rpartition(".")[2]
    return f"{first}.{last}"
