"""The addresses of repositories, in one spelling, and the targets that follow from them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from unlatch.patterns import pattern
from unlatch.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

    from unlatch.project.registry import Registry

_GITHUB = "https://github.com"
_SHORT = pattern(r"[A-Za-z0-9][A-Za-z0-9_-]*/[A-Za-z0-9._-]+")
# As git reads it: a host, a colon, and a path, without a scheme.
_SCP = pattern(r"(?:\w[\w.-]*@)?(?P<host>\w[\w.-]*):(?P<path>[^/:].*)")
_SCHEMES = ("https", "http", "ssh", "file")
_HOSTS = {"http", "https", "ssh"}


@dataclass(frozen=True, slots=True)
class Address:
    """A repository.

    Args:
        url: for git; OWNER/NAME stands for one on github.com.
        key: the same for all spellings of one repository.
    """

    url: str
    key: str

    @property
    def is_local(self) -> bool:
        """Whether it is on this machine."""
        return self.key.startswith("/")


def read_address(given: str) -> Address:
    """The repository of OWNER/NAME, a git URL, or an absolute path.

    Raises:
        ValueError: it is none of them; the message repeats no password.
    """
    if _SHORT.fullmatch(given):
        return Address(f"{_GITHUB}/{given}", _key("github.com", given))
    if given.startswith("/"):
        return Address(given, str(Path(given).resolve()))
    if "://" not in given and (match := _SCP.fullmatch(given)):
        return Address(given, _key(match["host"], match["path"]))
    return _read_url(given)


def _read_url(given: str) -> Address:
    try:
        parts = urlsplit(given)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise ValueError("it is not a git URL") from None
    if parts.password or (parts.username and parts.scheme != "ssh"):
        raise ValueError("the address must not hold a user name or a password")
    if parts.scheme == "file" and parts.path.startswith("/"):
        return Address(given, str(Path(parts.path).resolve()))
    if parts.scheme not in _HOSTS or not host or not parts.path.strip("/"):
        raise ValueError("expected OWNER/NAME, a git URL without credentials or an absolute path")
    # ssh and https of one host are the same repositories.
    default = {"https": 443, "http": 80, "ssh": 22}[parts.scheme]
    place = host if port in (None, default) else f"{host}:{port}"
    return Address(given, _key(place, parts.path))


def _key(host: str, path: str) -> str:
    # GitHub, Azure DevOps and GitLab compare paths without case.
    return f"{host}/{path.strip('/').removesuffix('.git')}".casefold()


def own_targets(address: Address, registry: Registry) -> Mapping[str, tuple[str, ...]]:
    """The target of each tracker that keeps the items of a repository itself, as GitHub does."""
    from unlatch.project.check_trackers import read_settings  # noqa: PLC0415  (slow to load)
    from unlatch.project.plugins.loading import table_for  # noqa: PLC0415  (as above)
    from unlatch.worklog.text.parsing import load_toml  # noqa: PLC0415  (as above)

    targets: dict[str, tuple[str, ...]] = {}
    for name, manifest in registry.manifests.items():
        if table := table_for(manifest, f"https://{address.key}"):
            given, is_own = load_toml(table)["trackers"][name], registry.is_own(name)
            settings, _ = read_settings(manifest, given, is_own=is_own)
            if settings and settings.target:
                targets[name] = (settings.target,)
    return targets


def names_in_events(target: str) -> tuple[str, ...]:
    """The names by which events may mean a target: without the host that fleet.toml gives it.

    An event of another host may have the same name; it causes a sync, and changes nothing.
    """
    host, _, rest = target.partition("/")
    if not ("." in host or ":" in host):
        return (target,)
    parts = rest.split("/")
    return (target, *("/".join(parts[number:]) for number in range(len(parts))))
