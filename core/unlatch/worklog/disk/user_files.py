"""The user's own files: the configuration with the links that it allows, and local state."""

import atexit
import errno
import os
import stat
from contextlib import suppress
from functools import cache, lru_cache
from pathlib import Path

from unlatch.worklog.digests import sha256
from unlatch.worklog.disk import system

ALLOWED_LINKS = "allowed_links"
ALLOWED_PROJECTS = "allowed_projects"
# The same in the environment: absolute paths, separated as in PATH.
_PROJECTS_VARIABLE = "UNLATCH_ALLOWED_PROJECTS"
# Bytes; a configuration has some hundred.
_LARGEST = 1 << 20
# Bytes; far above the largest event that any tracker sends.
MAX_EVENT_SIZE = 5_000_000
_NOTE, _LONGEST_PATH = "project", 1 << 14
# The variable for a kind of files, and their folder in the home (XDG Base Directory Specification).
_XDG = {"config": ("XDG_CONFIG_HOME", ".config"), "state": ("XDG_STATE_HOME", ".local/state")}


def user_config_file() -> Path:
    """The file with the user's own configuration, which no repository can change."""
    return _own_folder("config") / "config.toml"


def _own_folder(kind: str) -> Path:
    """The user's folder for unlatch's files of a kind, as platformdirs finds it."""
    if system.HAS_XDG_FOLDERS:  # platformdirs takes a sixth of the time of `show` to load
        variable, in_home = _XDG[kind]
        given, home = os.environ.get(variable, ""), Path(os.environ.get("HOME", ""), in_home)
        folder = Path(given) if os.path.isabs(given) else home  # noqa: PTH117
        if folder.is_absolute() and "ANDROID_ROOT" not in os.environ:
            return folder / "unlatch"
    import platformdirs  # noqa: PLC0415

    own: Path = getattr(platformdirs, f"user_{kind}_path")("unlatch")
    return own


def read_user_file(path: Path, *, at_most: int = _LARGEST) -> bytes:
    """The content of a file that the user or CI names; it may be a link, as dotfiles are.

    Raises:
        OSError: also if it is not a regular file, or has more than `at_most` bytes.
    """
    # A named pipe would wait for a writer.
    with os.fdopen(os.open(path, os.O_RDONLY | system.NONBLOCK), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "it is not a regular file")
        content = file.read(at_most + 1)
    if len(content) > at_most:
        raise OSError(errno.EFBIG, f"it has more than {at_most:,} bytes")
    return content


def is_closed(path: Path) -> bool:
    """Whether the user may not even look for a file or folder of theirs, so that it is none.

    In containers HOME is often that of another user. git ignores its configuration there, too.
    """
    try:
        path.lstat()
    except PermissionError:
        return True
    except OSError:
        return False
    return False


def allowed_links() -> tuple[tuple[str, ...], bool]:
    """The folders that links in a project may lead into, and whether their list has mistakes.

    Read only when a link is met, and without the rest of the configuration: `unlatch doctor`
    reports its mistakes.
    """
    return _paths_in_config(ALLOWED_LINKS)


def allowed_projects() -> tuple[str, ...]:
    """The folders whose projects may be used, whoever owns them and wherever git's top is.

    They come from the user's configuration and environment.
    """
    given = os.environ.get(_PROJECTS_VARIABLE, "").split(os.pathsep)
    return (*filter(os.path.isabs, given), *_paths_in_config(ALLOWED_PROJECTS)[0])


def is_allowed_project(folder: Path) -> bool:
    """Whether the user has named this folder, or one above it, in `allowed_projects`."""
    here = folder.resolve()
    return any(here.is_relative_to(Path(allowed).resolve()) for allowed in allowed_projects())


def _paths_in_config(name: str) -> tuple[tuple[str, ...], bool]:
    path = user_config_file()
    try:
        status = path.stat()
        return _read(str(path), name, status.st_mtime_ns, status.st_size)
    except OSError as error:
        return (), not isinstance(error, FileNotFoundError)


@lru_cache(maxsize=2)
def _read(path: str, name: str, _changed: int, _size: int) -> tuple[tuple[str, ...], bool]:
    from unlatch.worklog.text.parsing import load_toml  # noqa: PLC0415  (few users have the file)

    try:
        listed = load_toml(read_user_file(Path(path)).decode("utf-8-sig")).get(name, [])
    except (OSError, ValueError):
        return (), True
    if not isinstance(listed, list):
        return (), True
    sound = tuple(path for path in listed if isinstance(path, str) and Path(path).is_absolute())
    return sound, len(sound) < len(listed)


def state_folder(root: Path) -> Path:
    """The private folder of this user for the project at `root`.

    It is outside of the repository, so nothing from a clone is taken for local state. The root's
    real path and inode name it: each worktree and copy has its own, and so has another checkout at
    the same path. Where the user's folders are not writable, it is a temporary folder that is
    removed when the process ends.
    """
    try:
        return _made(_state_place(root))
    except (OSError, RuntimeError):  # the latter where this user has no home
        return _temporary_folder()


def temporary_state() -> Path | None:
    """The temporary folder, if this process uses it in place of state folders."""
    return _temporary_folder() if _temporary_folder.cache_info().currsize else None


def has_state(root: Path, name: str) -> bool:
    """Whether the private folder has a file or folder of this name; makes nothing."""
    try:
        return os.path.lexists(_state_place(root) / name)
    except (OSError, RuntimeError):
        return False


def _state_place(root: Path) -> Path:
    place = root.resolve()
    return _own_folder("state") / _state_name(place.stat().st_ino, place)


def _state_name(inode: int, place: Path) -> str:
    key = f"{inode} {place}".encode(errors="surrogateescape")
    return sha256(key)[:32]


def items_folder() -> Path:
    """The private folder for operations on items outside of a project, which may be missing.

    Unlike the caches in `state_folder` it must last.
    """
    return _own_folder("state") / "items"


def make_items_folder() -> None:
    """Make it; OSError: it cannot be made or written."""
    _made(items_folder())


def requests_folder() -> Path | None:
    """The private folder for what trackers allow this user, which may be missing.

    It is a cache of this machine; None where this user has no folder.
    """
    with suppress(OSError, RuntimeError):
        folder = _own_folder("state") / "requests"
        return folder if folder.is_absolute() else None
    return None


def make_private(folder: Path) -> None:
    """Make a private folder among those of the state; OSError: it cannot be made or written."""
    _made(folder)


def remember_project(root: Path) -> None:
    """Note in a project's private folder where the project is; the note is a cache."""
    note = state_folder(root) / _NOTE
    if not note.exists():
        with suppress(OSError):
            descriptor = os.open(note, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.write(os.fsencode(root.resolve()))


def known_projects() -> list[Path]:
    """The projects of this user that are where they were noted, by their paths."""
    roots = set()
    with suppress(OSError, RuntimeError):
        for note in _own_folder("state").glob(f"*/{_NOTE}"):
            with suppress(OSError, ValueError):
                root = Path(os.fsdecode(read_user_file(note, at_most=_LONGEST_PATH)))
                if root.is_dir() and state_folder(root) == note.parent:
                    roots.add(root)
    return sorted(roots)


def earlier_states(root: Path) -> list[tuple[Path, Path]]:
    """The paths where a folder with the inode of `root` was a project, with its private folders.

    Those are of this project before it was moved, or of a deleted one with the same inode.
    """
    states = []
    with suppress(OSError, RuntimeError):
        inode = root.resolve().stat().st_ino
        for note in _own_folder("state").glob(f"*/{_NOTE}"):
            with suppress(OSError, ValueError):
                path = Path(os.fsdecode(read_user_file(note, at_most=_LONGEST_PATH)))
                if _state_name(inode, path) == note.parent.name and not os.path.lexists(path):
                    states.append((path, note.parent))
    return sorted(states)


def make_state(folder: Path) -> None:
    """Make the folder with all local state; git leaves it out, in case it is in a repository."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    rules = folder / ".gitignore"
    if not os.path.lexists(rules):
        with suppress(OSError):  # its folders can be writable if it is not
            rules.write_text("*\n")


def _made(folder: Path) -> Path:
    if not folder.is_absolute():  # the same with an older platformdirs; it would be in the project
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(folder))
    make_state(folder.parent)
    folder.mkdir(mode=0o700, exist_ok=True)
    if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(folder))
    return folder


@cache
def _temporary_folder() -> Path:
    from shutil import rmtree  # noqa: PLC0415  (slow to load, and rarely needed)
    from tempfile import mkdtemp  # noqa: PLC0415

    folder = mkdtemp(prefix="unlatch-")
    atexit.register(rmtree, folder, ignore_errors=True)
    return Path(folder)
