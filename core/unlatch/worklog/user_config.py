"""Where the user's own configuration is, and the links that it allows."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

ALLOWED_LINKS = "allowed_links"


def user_config_file() -> Path:
    """The file with the user's own configuration, which no repository can change."""
    from platformdirs import user_config_path  # noqa: PLC0415  (slow to load)

    return user_config_path("unlatch") / "config.toml"


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
        listed = tomllib.loads(Path(path).read_text(encoding="utf-8")).get(ALLOWED_LINKS, [])
    except (OSError, ValueError, RecursionError):
        return (), True
    if not isinstance(listed, list):
        return (), True
    sound = tuple(one for one in listed if isinstance(one, str) and Path(one).is_absolute())
    return sound, len(sound) < len(listed)
