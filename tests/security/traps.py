"""Repositories that try to start programs, each of which leaves a file behind."""

import shutil
from dataclasses import dataclass
from pathlib import Path

from tests.cli.project import Project

# git's own, and all that a library could look for.
PROGRAMS = (
    *("git", "gh", "az", "propose", "unlatch", "python", "python3", "sh", "bash", "env", "uname"),
    *("ssh", "less", "cat", "vim", "vi", "nano", "sensible-editor", "my-editor", "gpg", "security"),
    *("ldconfig", "gcc", "cc", "ld", "objdump", "lsb_release", "sw_vers", "dbus-launch", "file"),
)
MODULES = ("click", "json", "keyring", "requests", "sitecustomize", "unlatch", "usercustomize")
HOOKS = (
    *(
        "pre-commit",
        "prepare-commit-msg",
        "commit-msg",
        "post-commit",
        "pre-push",
        "pre-merge-commit",
    ),
    *("post-merge", "post-checkout", "reference-transaction", "post-index-change", "pre-auto-gc"),
    *("fsmonitor-watchman", "applypatch-msg", "push-to-checkout"),
)
# Of no use to any command, so they never run.
NEVER = """
[core]
    fsmonitor = {fsmonitor}
    hooksPath = .husky
    pager = {pager}
    editor = {editor}
[sequence]
    editor = {editor}
[diff]
    external = {external}
[diff "trap"]
    command = {command}
    textconv = {textconv}
[interactive]
    diffFilter = {difffilter}
[pager]
    diff = {pager}
    show = {pager}
    status = {pager}
"""
# Run by git when it publishes from a checkout that its owner trusts; by nothing else.
PUBLISHING = """
[filter "trap"]
    clean = {clean}
    smudge = {smudge}
[merge "trap"]
    driver = {merge}
[core]
    sshCommand = {ssh}
    askPass = {askpass}
    gitProxy = {proxy}
    alternateRefsCommand = {alternates}
[credential]
    helper = {credential}
[gpg]
    program = {gpg}
[commit]
    gpgSign = true
[log]
    showSignature = true
[remote "origin"]
    url = {missing}
    uploadpack = {uploadpack}
    receivepack = {receivepack}
    promisor = true
    partialCloneFilter = blob:none
"""


@dataclass(frozen=True)
class Traps:
    """The programs that nothing may start.

    Args:
        folder: where they are, and where each leaves a file when it runs.
    """

    folder: Path

    def sprung(self) -> list[str]:
        """The names of those that ran."""
        return sorted(path.name.removesuffix(".ran") for path in self.folder.glob("*.ran"))

    def program(self, name: str, path: Path | None = None) -> Path:
        """Write a program that leaves a file behind."""
        path = path or self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n: > '{self.folder / name}.ran'\n")
        path.chmod(0o755)
        return path

    def settings(self, text: str) -> str:
        """A configuration of git in which each name in braces is such a program."""
        return text.format_map(_Commands(self))

    def in_current_folder(self, root: Path) -> None:
        """Programs and modules by every name that might be looked up there."""
        for name in PROGRAMS:
            self.program(f"{name}-here", root / name)
            self.program(f"{name}-relative", root / "relative" / name)
        for name in MODULES:
            (root / f"{name}.py").write_text(f"open({str(self.folder / name)!r} + '.ran', 'w')\n")

    def hooks(self, folder: Path) -> None:
        for name in HOOKS:
            self.program(f"hook-{name}", folder / name)


class _Commands(dict[str, str]):
    def __init__(self, traps: Traps) -> None:
        self._traps = traps

    def __missing__(self, name: str) -> str:
        return str(self._traps.program(name))


def lay_clone(project: Project, traps: Traps, *settings: str) -> None:
    """Make the project a repository in whose configuration everything is a trap."""
    project.git("init", "--quiet", "--initial-branch", "main")
    (project.root / ".gitattributes").write_text("* diff=trap filter=trap merge=trap\n")
    traps.hooks(project.root / ".husky")
    project.git("add", "--all")
    commit_signed(project, traps)
    traps.hooks(project.root / ".git" / "hooks")
    traps.in_current_folder(project.root)
    _append(project.root / ".git" / "config", traps.settings("".join(settings)))


_SIGNED = """\
tree {tree}{parents}
author Gil Git <gil@example.com> 1767225600 +0000
committer Gil Git <gil@example.com> 1767225600 +0000
gpgsig -----BEGIN PGP SIGNATURE-----
 x
 -----END PGP SIGNATURE-----

Begin
"""


def commit_signed(project: Project, traps: Traps) -> None:
    """Commit what is staged, with a signature that git would have a program check."""
    head = project.git("rev-list", "--max-count=1", "--all").strip()
    parents = f"\nparent {head}" if head else ""
    tree = project.git("write-tree").strip()
    traps.folder.mkdir(exist_ok=True)
    text = traps.folder / "commit"
    text.write_text(_SIGNED.format(tree=tree, parents=parents))
    commit = project.git("hash-object", "-t", "commit", "-w", str(text)).strip()
    project.git("update-ref", "HEAD", commit)


def lay_bare(project: Project, traps: Traps, *settings: str) -> None:
    """The same, but committed: a bare repository in a folder of another one, as git takes it."""
    lay_clone(project, traps, *settings)
    inner = project.root / ".git"
    for name in ("HEAD", "config", "objects", "refs", "index", "hooks"):
        shutil.move(inner / name, project.root / name)
    shutil.rmtree(inner)
    _append(project.root / "config", f"[core]\n    bare = false\n    worktree = {project.root}\n")


def _append(path: Path, text: str) -> None:
    path.write_text(path.read_text() + text)
