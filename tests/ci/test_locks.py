"""The locks of the action and of a release fit pyproject.toml, with hashes and no address."""

import re
from pathlib import Path
from typing import NamedTuple

import lock
import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

PLATFORMS = {
    "linux": ("posix", "Linux"),
    "darwin": ("posix", "Darwin"),
    "win32": ("nt", "Windows"),
}
VERSIONS = ("3.11", "3.13", "3.14")
ENTRY = re.compile(
    r"(?P<pin>[a-z0-9-]+==[^\s;]+(?: ; [^\\\n]+?)?)(?: \\\n    --hash=sha256:[0-9a-f]{64})+\n"
    r"(?P<via>(?:    # .*\n)*)"
)

each = pytest.mark.parametrize("name", lock.LOCKS)


class Pin(NamedTuple):
    requirement: Requirement
    version: str
    via: set[str]  # what needs it


def read(name: str) -> dict[str, list[Pin]]:
    """The pins of a lock by name; fails at a line that is none, as an address would be."""
    header, _, text = (lock.ROOT / name).read_text(encoding="utf-8").partition("\n")
    assert header.startswith("# Written by `make lock`")
    assert "" == ENTRY.sub("", text)
    pins: dict[str, list[Pin]] = {}
    for entry in ENTRY.finditer(text):
        requirement = Requirement(entry["pin"])
        (pinned,) = requirement.specifier
        via = {*re.findall(r"#(?: via)? +([a-z0-9-]+)$", entry["via"], re.MULTILINE)}
        pins.setdefault(requirement.name, []).append(Pin(requirement, pinned.version, via))
    return pins


def environment(platform: str, version: str) -> dict[str, str]:
    os_name, system = PLATFORMS[platform]
    return {
        "sys_platform": platform,
        "platform_system": system,
        "os_name": os_name,
        "platform_machine": "arm64",
        "python_version": version,
        "python_full_version": f"{version}.1",
        "implementation_name": "cpython",
        "platform_python_implementation": "CPython",
    }


def applies(requirement: Requirement, values: dict[str, str]) -> bool:
    return requirement.marker is None or requirement.marker.evaluate(values)


# Each system once, and versions that markers name.
@each
@pytest.mark.parametrize(("platform", "version"), [*zip(PLATFORMS, VERSIONS, strict=True)])
def test_a_lock_has_a_version_of_each_requirement(name: str, platform: str, version: str) -> None:
    values = environment(platform, version)
    pins = {
        key: [one.version for one in listed if applies(one.requirement, values)]
        for key, listed in read(name).items()
    }
    assert {key: found for key, found in pins.items() if len(found) > 1} == {}
    for requirement in filter(
        lambda one: applies(one, values), map(Requirement, lock.direct(name))
    ):
        (locked,) = pins[canonicalize_name(requirement.name)]
        assert requirement.specifier.contains(locked, prereleases=True), "make lock"


@each
def test_a_lock_has_only_what_something_needs(name: str) -> None:
    pins = read(name)
    direct = {canonicalize_name(Requirement(one).name) for one in lock.direct(name)}
    needless = {
        key
        for key, listed in pins.items()
        for pin in listed
        if key not in direct and not pin.via & pins.keys()
    }
    assert set() == needless, "make lock"


def test_dependabot_watches_each_lock() -> None:
    path = lock.ROOT / ".github/dependabot.yml"
    updates = yaml.safe_load(path.read_text(encoding="utf-8"))["updates"]
    watched = {
        folder
        for one in updates
        if one["package-ecosystem"] == "pip"
        for folder in one["directories"]
    }
    assert {f"/{Path(name).parent}" for name in lock.LOCKS} | {"/"} == watched
