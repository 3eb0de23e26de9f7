"""git that changes a checkout, and talks to its remote.

The user's and the system's configuration applies, and so do the user's programs: signing,
credential helpers, ssh, proxies. What the repository's own configuration starts depends on the
trust in the checkout; hooks, filters and merge drivers belong to it, whoever set them up.
"""

import os
from collections.abc import Mapping, Sequence
from dataclasses import field
from enum import Enum, auto
from pathlib import Path

from unlatch.errors import StoreError, UsageError
from unlatch.project.git.repository_settings import LISTING, RepositorySettings, read_settings
from unlatch.project.git.run import (
    HOOKS_OFF,
    OFFLINE,
    UNUSED,
    GitResult,
    NoGit,
    Settings,
    command_of,
    start_git,
    without_credentials,
)
from unlatch.values import dataclass

_SECONDS = 300.0
_HOOKED = ("commit", "merge", "push")
# These change neither the configuration nor the files that it may include.
_READING = ("check-attr", "log", "rev-parse", "status", "symbolic-ref", "var")
# Those that start what `RepositorySettings.programs` lists.
_STARTING = ("fetch", "ls-remote", "push", "commit", "commit-tree", "merge")
# Files that are not ours may look changed in it.
_LOOKING = ("status",)
_NO_FILTER = ("unspecified", "unset", "set")
_TRUST = "if you trust this checkout: unlatch agents trust"


class Trust(Enum):
    """How much of a repository's own configuration may start programs.

    Attributes:
        NONE: nothing.
        REMOTE: what CI systems write into the checkout of a job, to fetch and push.
        ALL: what git itself would start: the user trusts the checkout.
    """

    NONE = auto()
    REMOTE = auto()
    ALL = auto()


@dataclass(frozen=True, slots=True)
class WorkingGit:
    """git in one checkout, changing it and talking to its remote without prompts."""

    top: Path  # of the checkout
    settings: Settings = ()  # git configuration for these commands only
    trust: Trust = Trust.NONE
    # What git knows, until a command may change it.
    _read: list[RepositorySettings] = field(default_factory=list, compare=False, repr=False)

    def __call__(
        self, *arguments: str, paths: tuple[str, ...] | None = None, fed: bytes = b""
    ) -> GitResult:
        """Run a git command, on literal `paths` from the top if given.

        Raises:
            UsageError: `no-git` or `git-config-untrusted`.
            StoreError: `git-config-unreadable`.
        """
        if paths is not None:
            from_stdin = ("--pathspec-from-file=-", "--pathspec-file-nul")
            arguments = ("--literal-pathspecs", *arguments, *from_stdin)
            fed = os.fsencode("\0".join(paths))
        try:
            command = command_of(arguments)
            given, environ = self._limits(command)
            if command not in _READING:
                self._read.clear()
            return self._start(arguments, (*given, *self.settings), environ, fed)
        except NoGit as error:
            raise UsageError("no-git", str(error), hint="install git") from error
        except (OSError, ValueError) as error:
            return GitResult(-1, b"", without_credentials(str(error)))

    def check_settings(self) -> None:
        """Check that no program has to start that the repository's own configuration names.

        Raises:
            UsageError: `no-git` or `git-config-untrusted`.
            StoreError: `git-config-unreadable`.
        """
        if self.trust is not Trust.ALL and (untrusted := self._untrusted(self._known())):
            raise self._refused(untrusted)

    def setting(self, name: str) -> str | None:
        """A setting of git's configuration, by its name as git lists it; None without one."""
        values = [value for _, known, value in self._known().entries if known == name]
        return values[-1] if values else None

    def check_remote(self, name: str) -> None:
        """Check that the repository of a remote may be used; UsageError `remote-untrusted`.

        In one on this machine, git runs the hooks and settings of that one.
        """
        if self.trust is not Trust.NONE or self._known().allows_local:
            return
        for way in ((), ("--push",)):
            urls = os.fsdecode(self("remote", "get-url", "--all", *way, "--", name).out)
            for url in filter(_is_local, urls.splitlines()):
                message = f"the remote {name!r} is on this machine, and could start programs"
                where = without_credentials(url)
                raise UsageError("remote-untrusted", message, where=where, hint=_TRUST)

    def check_filters(self, paths: Sequence[str]) -> None:
        """Check that no file needs a filter that does not run; StoreError `filter-needed`.

        git would commit such a file, or write it to the checkout, without converting it.
        """
        fed = os.fsencode("\0".join(paths))
        asked = self("check-attr", "-z", "--stdin", "filter", fed=fed)
        if not asked.is_done:
            raise self._unreadable(asked.complaint)
        words = os.fsdecode(asked.out).split("\0")
        filters = self._known().filters
        for path, name in zip(words[::3], words[2::3], strict=False):
            if name in _NO_FILTER or (name in filters and self.trust is Trust.ALL):
                continue
            message = f"{path} needs the filter {name!r} of .gitattributes, which is not set up"
            hint = "set it up, or exclude the file in .gitattributes (-filter)"
            if name in filters:
                message, hint = message.replace("is not set up", "does not run"), _TRUST
            raise StoreError("filter-needed", message, where=str(self.top / path), hint=hint)

    def skipped_hooks(self, *names: str) -> tuple[str, ...]:
        """Those of the hooks that the checkout has, and that do not run."""
        if self.trust is Trust.ALL:
            return ()
        answer = self._start(("rev-parse", "--git-path", "hooks"), UNUSED, OFFLINE)
        folder = self.top / os.fsdecode(answer.out).removesuffix("\n")
        return tuple(hook for hook in names if answer.is_done and os.access(folder / hook, os.X_OK))

    def _limits(self, command: str) -> tuple[Settings, Mapping[str, str]]:
        """The settings and variables that keep a command to what the trust allows."""
        hooks_off = () if self.trust is Trust.ALL and command in _HOOKED else (HOOKS_OFF,)
        given = (*UNUSED, *hooks_off)
        if self.trust is Trust.ALL:
            return given, {}
        settings = self._known()
        given += settings.without_drivers(needed=command not in _LOOKING)
        if self.trust is Trust.NONE and not settings.allows_local:
            given += (("protocol.file.allow", "never"),)
        untrusted = self._untrusted(settings)
        if untrusted and command in _STARTING:
            raise self._refused(untrusted)
        return given, OFFLINE if untrusted else {}

    def _known(self) -> RepositorySettings:
        if not self._read:
            self._read.append(self._read_settings())
        return self._read[0]

    def _read_settings(self) -> RepositorySettings:
        try:
            done = self._start(LISTING, UNUSED, OFFLINE)
        except NoGit:
            raise
        except OSError as error:
            raise self._unreadable(str(error)) from error
        if not done.is_done:
            raise self._unreadable(done.complaint)
        return read_settings(done.out)

    def _unreadable(self, why: str) -> StoreError:
        message, hint = (
            f"git cannot read its configuration: {without_credentials(why)}",
            "git config -l",
        )
        return StoreError("git-config-unreadable", message, where=str(self.top), hint=hint)

    def _untrusted(self, settings: RepositorySettings) -> tuple[str, ...]:
        return settings.programs(to_remote=self.trust is Trust.NONE)

    def _refused(self, names: tuple[str, ...]) -> UsageError:
        message = f"the git configuration of this checkout can start programs: {', '.join(names)}"
        return UsageError("git-config-untrusted", message, where=str(self.top), hint=_TRUST)

    def _start(
        self,
        arguments: Sequence[str],
        settings: Settings,
        environ: Mapping[str, str],
        fed: bytes = b"",
    ) -> GitResult:
        done = start_git(
            self.top, arguments, settings=settings, environ=environ, seconds=_SECONDS, fed=fed
        )
        return GitResult(
            done.code, done.out, without_credentials(done.err.decode("utf-8", "replace"))
        )


def _is_local(url: str) -> bool:
    """Whether git takes an address for a path: it has no scheme, and no host before a colon."""
    return url.startswith("file:") or ":" not in url.partition("/")[0]
