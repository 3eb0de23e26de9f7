"""Files to write at a place that the user, or a template for CI, names."""

import errno
import os
import stat
from pathlib import Path

from unlatch.worklog.disk import system

# Their links lead to the terminal or to a pipe.
_DEVICES = ("/dev/fd/", "/dev/stderr", "/dev/stdout", "/proc/self/fd/")


def open_named(path: Path, flags: int = 0, *, mode: int = 0o666) -> int:
    """Open a file for writing, for the caller to close; `mode` is for a new file.

    A checkout can have a link of that name, which would lead the text to any file of the user. So
    no link is followed, a file with a second hard link is not changed, and a pipe that nobody reads
    is not waited for. OSError, also for these.
    """
    is_device = os.fspath(path).startswith(_DEVICES)
    careful = 0 if is_device else system.NOFOLLOW | system.NONBLOCK
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | careful | flags, mode)
    except OSError as error:
        if error.errno == errno.ENXIO:
            raise OSError(error.errno, "it is a pipe that nobody reads", str(path)) from error
        if error.errno == errno.ELOOP and path.is_symlink():
            raise OSError(error.errno, "it is a symbolic link", str(path)) from error
        raise
    if careful:
        system.set_blocking(descriptor, blocking=True)
    status = os.fstat(descriptor)
    if stat.S_ISREG(status.st_mode) and status.st_nlink > 1:
        os.close(descriptor)
        raise OSError(errno.EMLINK, "it has another name elsewhere (a hard link)", str(path))
    return descriptor
