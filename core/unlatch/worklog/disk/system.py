"""The calls that differ between Linux, macOS and Windows: no other module asks for the system.

What applies to Windows alone has never been run there (docs/reliability.md, Platforms).
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path
    from subprocess import Popen

_IS_WINDOWS = sys.platform == "win32"
# Where the user's folders follow the XDG Base Directory Specification.
HAS_XDG_FOLDERS = sys.platform == "linux"
# Windows locks open files alone, and `os.execve` starts a second process there.
LOCKS_FOLDERS = REPLACES_PROCESSES = not _IS_WINDOWS

# Flags of `os.open`; 0 where the system lacks them. BINARY: Windows would change line endings.
NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)
NONBLOCK = getattr(os, "O_NONBLOCK", 0)
CLOEXEC = getattr(os, "O_CLOEXEC", 0)
DIRECTORY = getattr(os, "O_DIRECTORY", 0)
BINARY = getattr(os, "O_BINARY", 0)
# Whether files are opened relative to an open folder, without following links.
OPENS_RELATIVE = os.open in os.supports_dir_fd and bool(NOFOLLOW)

# The number of an operation of prctl(2).
_PR_SET_DUMPABLE = 4


def lock(descriptor: int, *, shared: bool = False) -> None:
    """Lock an open file or folder with flock; BlockingIOError if another process has it."""
    import fcntl  # noqa: PLC0415  (not on Windows, and most commands lock nothing)

    fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)


def unlock(descriptor: int) -> None:
    """Release a lock, also of processes that inherited the descriptor."""
    import fcntl  # noqa: PLC0415  (as above)

    fcntl.flock(descriptor, fcntl.LOCK_UN)


def set_blocking(descriptor: int, *, blocking: bool) -> None:
    """Let reads and writes wait, or not; Windows can change this for pipes from Python 3.12 on."""
    if not _IS_WINDOWS or hasattr(os, "set_blocking"):
        os.set_blocking(descriptor, blocking)


def signal_group(group: int, *, forced: bool) -> bool:
    """Send SIGTERM, or SIGKILL, to a process group, if it is there; False without groups."""
    import signal  # noqa: PLC0415  (most commands start no program)

    if _IS_WINDOWS:
        return False
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL if forced else signal.SIGTERM)
    return True


def signal_all(pids: Iterable[int], *, forced: bool) -> None:
    """Send SIGTERM, or SIGKILL, to processes that are there."""
    import signal  # noqa: PLC0415  (as above)

    for pid in pids:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL if forced else signal.SIGTERM)


def ending_signals() -> tuple[int, ...]:
    """The signals that ask a program to end, besides that of Ctrl-C."""
    import signal  # noqa: PLC0415  (as above)

    return tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))


def has_exited(process: Popen[bytes]) -> bool:
    """Whether a child ended. Where the system can, it stays unreaped: its group's id stays its own.

    Python has `waitid` on macOS since 3.13.
    """
    if process.returncode is not None or not hasattr(os, "waitid"):
        return process.poll() is not None
    return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None


def hide_memory() -> None:
    """Let no other process of this user read the memory of this one; only Linux can."""
    if sys.platform == "linux":
        import ctypes  # noqa: PLC0415  (slow to load)

        with suppress(AttributeError, OSError):
            ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)


def write_text(text: str, stream: IO[str], *, coloured: bool | None) -> None:
    """Write text with control sequences, which consoles before Windows 10 do not have."""
    if _IS_WINDOWS:
        import click  # noqa: PLC0415  (it calls the functions of the console)

        click.echo(text, file=stream, nl=False, color=coloured)
    else:
        stream.write(text)
        stream.flush()  # lines on both streams keep their order


def foreign_owner(place: Path) -> int | None:
    """The account of a folder, file or link that is not this user's; None if it is, or is gone.

    It is decided as git does: another account must not choose what a command uses. With sudo, root
    also has what belongs to the user who called it.
    """
    if _IS_WINDOWS:
        return None
    try:
        owner = place.lstat().st_uid
    except OSError:
        return None
    return None if owner in _own_accounts() else owner


def user_number() -> int:
    """The number of the user who started this process; 0 on Windows."""
    return 0 if _IS_WINDOWS else os.getuid()


def _own_accounts() -> tuple[int, ...]:
    user = os.geteuid()
    caller = os.environ.get("SUDO_UID", "")
    return (user, int(caller)) if user == 0 and caller.isdecimal() else (user,)


def describe_account(number: int | None = None) -> str:
    """The name and number of an account, by default of this user's."""
    import pwd  # noqa: PLC0415  (not on Windows)

    number = os.geteuid() if number is None else number
    try:
        return f"{pwd.getpwuid(number).pw_name} (uid {number})"
    except KeyError:
        return f"uid {number}"
