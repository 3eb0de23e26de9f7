"""What the message of a commit says that it reverts, in the words of git, Mercurial and the hosts.

Indented lines are quoted: `git merge --squash` indents the messages of the commits that it joins.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from unlatch.patterns import pattern
from unlatch.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator

# Longer messages are generated; no revert is told after this.
_MOST = 100_000
_ID = "[0-9a-f]{7,64}"
# One commit (git revert), its short id (--reference), or several (written by hand).
_REVERTS = pattern(
    rf"^This[ \n]reverts[ \n]commits?[ \n]({_ID}\b(?:(?:,| and|, and)[ \n]{_ID}\b){{0,99}})"
    rf"(?:,[ \n]reversing[ \n]changes[ \n]made[ \n]to[ \n]({_ID})\b)?",
    re.MULTILINE,
)
# Mercurial: the commits that hg-git writes keep its ids, which git does not have
# (findings/hg-git-backout.sh).
_BACKED_OUT = pattern(rf"^Backed out changeset ({_ID})\b", re.MULTILINE)
_EACH = pattern(rf"\b{_ID}\b")
# "Reverts octo/widgets#12" (GitHub), "Reverts !12" (Azure DevOps).
_PULL = pattern(r"^Reverts ((?:[\w.-]{1,100}/[\w.-]{1,100})?)[#!]([0-9]{1,9})\b", re.MULTILINE)
# Subjects of the merge or squash of a pull request on GitHub, and on Azure DevOps.
_MERGED = pattern(
    r"\AMerge pull request #([0-9]{1,9}) |\AMerged PR ([0-9]{1,9}):|\(#([0-9]{1,9})\)\Z"
)


@dataclass(frozen=True, slots=True)
class Reverted:
    """A commit that a message names as reverted.

    Args:
        id: its id, maybe shortened.
        kept: of a merge, the parent whose side stays; "" if none is named.
    """

    id: str
    kept: str = ""


class Pull(NamedTuple):
    """A pull request that a message names; without a repository, it is one of its own."""

    repository: str
    number: int

    def is_of(self, repositories: frozenset[str]) -> bool:
        """Whether it is of its own repository, or one of these, in lower case."""
        return not self.repository or self.repository.casefold() in repositories


def reverted_commits(message: str) -> Iterator[Reverted]:
    """The commits that a message says it reverts."""
    plain = _plain(message)
    for match in _REVERTS.finditer(plain):
        for named in _EACH.findall(match[1]):
            yield Reverted(named, match[2] or "")
    for match in _BACKED_OUT.finditer(plain):
        yield Reverted(match[1])


def reverted_pulls(message: str) -> Iterator[Pull]:
    """The pull requests that a message says it reverts."""
    for repository, number in _PULL.findall(_plain(message)):
        yield Pull(repository, int(number))


def says_revert(message: str) -> bool:
    """Whether a message says that its commit reverts something."""
    # Of thousands of messages, few have a word of these.
    may = "everts" in message or "acked out" in message
    return may and any((*reverted_commits(message), *reverted_pulls(message)))


def merged_pulls(subject: str) -> Iterator[int]:
    """The numbers of the pull requests that the subject of a commit says it merges."""
    for match in _MERGED.finditer(subject):
        yield int(next(filter(None, match.groups())))


def _plain(message: str) -> str:
    return message[:_MOST].replace("\r\n", "\n")
