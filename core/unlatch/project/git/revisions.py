"""Branches and commits: the current branch, and the files that differ from a commit.

`git diff` would run the filters of .gitattributes and trust git's index. Here git lists a commit's
files, and the files on disk are hashed in git's way. Only what a sparse checkout leaves out is
compared as the index has it.
"""

import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from unlatch.errors import StoreError
from unlatch.project.git.run import ask_git, run_git
from unlatch.project.git.sparse import sparse_files
from unlatch.worklog.disk.folder import OpenFolder
from unlatch.worklog.disk.safe_open import open_folder, read_file

_REGULAR = ("100644", "100755")
# By the number of hexadecimal digits in git's ids.
_HASHES = {40: "sha1", 64: "sha256"}
HEADS = "refs/heads/"
# In place of a branch, as `git rev-parse --abbrev-ref` has it.
DETACHED = "HEAD"
_REMOTE = "refs/remotes/origin/"
_CONFIG, _MOST_BYTES = ".unlatch/config.toml", 8 << 20


def current_branch(root: Path, environ: Mapping[str, str]) -> str | None:
    """The branch that is checked out; DETACHED without one, and None outside git."""
    # Full references: git's short form differs if a tag has the branch's name.
    head = ask_git(root, "symbolic-ref", "--quiet", "HEAD")
    if head is not None:
        return head.removeprefix(HEADS)
    if built := _ci_branch(environ):
        return built
    is_detached = ask_git(root, "rev-parse", "--verify", "--quiet", DETACHED) is not None
    return DETACHED if is_detached else None


def _ci_branch(environ: Mapping[str, str]) -> str | None:
    """The branch that a CI job builds; None for tags and pull requests.

    Short names such as GITHUB_REF_NAME do not tell a tag from a branch. GitLab sets
    CI_COMMIT_BRANCH for branches alone.
    """
    # Set for pull requests alone; with pull_request_target, GITHUB_REF is the branch they change.
    if environ.get("GITHUB_HEAD_REF"):
        return None
    refs = (environ.get(name, "") for name in ("GITHUB_REF", "BUILD_SOURCEBRANCH"))
    branches = (ref.removeprefix(HEADS) for ref in refs if ref.startswith(HEADS))
    return next(branches, environ.get("CI_COMMIT_BRANCH") or None)


def other_branch(root: Path, environ: Mapping[str, str], configured: str | None) -> str | None:
    """The current branch if statuses are compared on another one, else None.

    Statuses are compared on the configured branch, else on the remote's default branch as far as
    this clone knows it, else on any. A detached HEAD is no branch. A branch cannot name itself: its
    author may be a stranger, so the configuration of the default branch has to name it, too.

    Args:
        configured: the branch that the configuration of the current branch names.
    """
    remote = ask_git(root, "symbolic-ref", "--quiet", f"{_REMOTE}HEAD")
    default = (remote or "").removeprefix(_REMOTE)
    here = current_branch(root, environ)
    is_other = here == DETACHED or bool((configured or default) and here != (configured or default))
    if not is_other and configured and default and here != default:
        is_other = here != _configured_in(root, f"{_REMOTE}{default}")
    return here if is_other else None


def _configured_in(root: Path, commit: str) -> str | None:
    """The branch on which the configuration of a commit lets statuses be compared."""
    from unlatch.worklog.text.parsing import load_toml  # noqa: PLC0415  (rarely needed)

    content = run_git(root, "cat-file", "blob", f"{commit}:./{_CONFIG}") or b""
    with suppress(ValueError, KeyError, TypeError):
        branch = load_toml(content[:_MOST_BYTES].decode())["sync"]["branch"]
        return branch if isinstance(branch, str) else None
    return None


def changed_since(root: Path, ref: str, *, below: Path) -> frozenset[str] | None:
    """The files below a folder that this branch changed since `ref`; None if `ref` is unknown."""
    if ref.startswith("-"):
        return None
    # git prefers a tag of this name to a branch, and anyone with push access can make one.
    for place in ("refs/remotes/", HEADS, ""):
        commit = ask_git(root, "rev-parse", "--verify", "--quiet", f"{place}{ref}^{{commit}}")
        if commit is not None:
            return changed_files(root, ask_git(root, "merge-base", commit, "HEAD") or commit, below)
    return None


def committed_files(root: Path, commit: str, folder: Path) -> dict[str, str] | None:
    """The regular files of a commit: git's ids by path from the root; None without the commit."""
    if commit.startswith("-"):
        return None
    below = folder.relative_to(root).as_posix()
    listed = run_git(root, "ls-tree", "-r", "-z", commit, "--", below)
    if listed is None:
        return None
    entries = (entry.partition("\t") for entry in os.fsdecode(listed).split("\0") if entry)
    named = ((path, about.split()) for about, _, path in entries)
    return {path: parts[2] for path, parts in named if parts[0] in _REGULAR}


def changed_files(root: Path, commit: str, folder: Path) -> frozenset[str] | None:
    """The files below a folder that are changed, new or gone; None without the commit.

    If the folder is a file, it is compared alone.
    """
    files = committed_files(root, commit, folder)
    if files is None:
        return None
    here: dict[str, Path] = {}
    if folder.is_file():
        here = {folder.relative_to(root).as_posix(): folder}
    with suppress(OSError), open_folder(folder) as opened:
        here = {path.relative_to(root).as_posix(): path for path in _files_in(opened, folder)}
    apart = {n: blob for n, blob in sparse_files(root, folder).items() if n not in here}
    gone = files.keys() - here.keys() - apart.keys()
    changed = (name for name, path in here.items() if not is_committed(path, files.get(name)))
    changed_apart = (name for name, blob in apart.items() if blob != files.get(name))
    return frozenset(gone).union(changed, changed_apart)


def is_committed(path: Path, blob: str | None) -> bool:
    """Whether a file has the content of this id, apart from git's line endings.

    False for an unreadable or too large file.
    """
    with suppress(OSError, StoreError):
        content = read_file(path)
        if blob is not None and len(blob) in _HASHES:
            contents = content, content.replace(b"\r\n", b"\n")
            return any(_blob_id(text, blob) == blob for text in contents)
    return False


def _blob_id(content: bytes, like: str) -> str:
    data = b"blob %d\0" % len(content) + content
    import hashlib  # noqa: PLC0415  (slow to load)

    return hashlib.new(_HASHES[len(like)], data, usedforsecurity=False).hexdigest()


def _files_in(opened: OpenFolder, place: Path) -> Iterator[Path]:
    """All files below a folder, without following links."""
    for name in opened.names():
        if not stat.S_ISDIR(opened.lstat(name).st_mode):
            yield place / name
            continue
        # A folder that cannot be opened, or has become a link, counts as empty.
        with suppress(OSError, StoreError), opened.folder(name) as inner:
            yield from _files_in(inner, place / name)
