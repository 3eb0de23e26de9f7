"""Where the user's own configuration is, and the links that it allows."""

from __future__ import annotations

import errno
import os
import stat
from functools import lru_cache
from pathlib import Path

ALLOWED_LINKS = "allowed_links"
# Bytes; a configuration has some hundred.
_LARGEST = 1 << 20
_NONBLOCK = getattr(os, "O_NONBLOCK", 0)


def user_config_file() -> Path:
    """The file with the user's own configuration, which no repository can change."""
    from platformdirs import user_config_path  # noqa: PLC0415  (slow to load)

    return user_config_path("unlatch") / "config.toml"


def read_user_file(path: Path) -> bytes:
    """The content of the user's own configuration; it may be a link, as dotfiles are.

    Raises:
        OSError: it is missing, no regular file, too large, or may not be read.
    """
    # A named pipe would wait for a writer.
    with os.fdopen(os.open(path, os.O_RDONLY | _NONBLOCK), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "it is not a regular file")
        content = file.read(_LARGEST + 1)
    if len(content) > _LARGEST:
        raise OSError(errno.EFBIG, f"it has more than {_LARGEST:,} bytes")
    return content


def allowed_links() -> tuple[str, ...]:
    """The folders that links in a project may lead into; none where the file has mistakes.

    Read only when a link is met, and without the rest of the configuration: `unlatch doctor`
    reports its mistakes.
    """
    return _found()[0]


def has_wrong_links() -> bool:
    """Whether `allowed_links` has a mistake, so that a folder may be missing from it."""
    return _found()[1]


def _found() -> tuple[tuple[str, ...], bool]:
    path = user_config_file()
    try:
        found = path.stat()
        return _read(str(path), found.st_mtime_ns, found.st_size)
    except OSError as error:
        return (), not isinstance(error, FileNotFoundError)


@lru_cache(maxsize=1)
def _read(path: str, _changed: int, _size: int) -> tuple[tuple[str, ...], bool]:
    import tomllib  # noqa: PLC0415  (no link, no need)

    try:
        text = read_user_file(Path(path)).decode("utf-8")
        listed = tomllib.loads(text).get(ALLOWED_LINKS, [])
    except (OSError, ValueError, RecursionError):
        return (), True
    if not isinstance(listed, list):
        return (), True
    sound = tuple(one for one in listed if isinstance(one, str) and Path(one).is_absolute())
    return sound, len(sound) < len(listed)
