"""Check the packages in dist/ as a user would install them.

    python tools/release_check.py [--tag v1.2.3]

Runs the validators of the agents' integrations, none of which may be skipped. Checks the metadata
and the contents of the sdist and the wheel, and builds both again. Installs the wheel, the sdist
and each extra from the package index into virtual environments of their own, and uses them there.
Writes the SBOM of the wheel with all trackers to build/sbom.cdx.json.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
import tomllib
import venv
import zipfile
from pathlib import Path
from typing import Any

from wheel_check import (
    ROOT,
    check_contents,
    check_reproducible,
    names_in_sdist,
    packages,
    run,
    use,
)

DIST = ROOT / "dist"
SBOM = ROOT / "build" / "sbom.cdx.json"
VALIDATORS = ROOT / "tools" / "validate_integrations.py"
PROGRAMS = Path(sys.executable).parent
# Stands in the pages until the repository's address is known.
PLACEHOLDER = "OWNER/unlatch"
# What each extra makes usable; `all` is used whole.
MODULES = {
    "github": ("unlatch_github.plugin",),
    "ado": ("unlatch_ado.plugin",),
    "jira": ("unlatch_jira.plugin",),
    "sandbox": ("unlatch_sandbox",),
    "report": ("unlatch_audit.report.page",),
    "mcp": ("unlatch_mcp.server",),
    "fleet": ("procrastinate", "psycopg", "unlatch_fleet.serve.app"),
    "testing": ("unlatch.testing",),
    "zstd": ("zstandard",),
}
# Extras of which the requirements are only resolved, not downloaded: 336 MB.
RESOLVED = {"litellm"}


def main() -> None:
    """Run the check; exits with a message at the first failure."""
    parser = argparse.ArgumentParser(description="Check the packages in dist/.")
    parser.add_argument("--tag", help="the tag that is released, as in v1.2.3")
    tag = parser.parse_args().tag
    if tag:
        check_tag(tag)
        check_address()
    check_integrations()
    sdist, wheel = packages(DIST)
    check_files(sdist, wheel)
    with tempfile.TemporaryDirectory(prefix="unlatch-release-") as scratch:
        check_reproducible(sdist, wheel, Path(scratch))
        _say("both are the same when they are built again")
        check_installed(sdist, wheel, Path(scratch))


def check_tag(tag: str) -> None:
    """Make sure that a tag is the version, and that the changelog has it."""
    version = _project()["version"]
    if tag != f"v{version}":
        sys.exit(f"the tag {tag} is not the version {version} of pyproject.toml")
    if f"\n## [{version}]" not in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"):
        sys.exit(f"CHANGELOG.md has no section [{version}]")


def check_address() -> None:
    """Make sure that the pages name the repository, and no longer its placeholder."""
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    left = [
        f"{page.relative_to(ROOT)}:{number}"
        for page in pages
        for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1)
        if PLACEHOLDER in line
    ]
    if left:
        sys.exit(f"write the repository's address instead of {PLACEHOLDER}: {', '.join(left)}")
    if "urls" not in _project():
        sys.exit("pyproject.toml has no [project.urls]: add Repository = the repository's address")


def check_files(sdist: Path, wheel: Path) -> None:
    """Check metadata and contents."""
    check_contents("sdist", names_in_sdist(sdist))
    check_contents("wheel", zipfile.ZipFile(wheel).namelist())
    run(str(PROGRAMS / "twine"), "check", "--strict", str(sdist), str(wheel))
    run(str(PROGRAMS / "check-wheel-contents"), str(wheel))
    _say("metadata and contents are as expected")


def check_installed(sdist: Path, wheel: Path, folder: Path) -> None:
    """Install into clean environments, and use what is installed."""
    (folder / "work").mkdir()
    for kind, file in (("wheel", wheel), ("sdist", sdist)):
        python = install(f"{file}[all]", folder / kind)
        use(python.parent, folder / "work")
        _say(f"the {kind} with all trackers shows the demo")
    write_sbom(folder / "wheel" / "bin" / "python")
    plain = install(str(wheel), folder / "plain")
    run(str(plain.with_name("unlatch")), "--help", cwd=folder)
    _say("the wheel without extras shows its help")
    for extra in sorted(_project()["optional-dependencies"].keys() - {"all"}):
        check_extra(wheel, extra, folder)


def check_extra(wheel: Path, extra: str, folder: Path) -> None:
    """Install an extra alone, and load what needs it."""
    if extra in RESOLVED:
        _pip(folder / "plain" / "bin" / "python", "--dry-run", f"{wheel}[{extra}]")
        _say(f"the extra {extra} can be resolved")
        return
    if extra not in MODULES:
        sys.exit(f"tools/release_check.py does not say what the extra {extra} makes usable")
    python = install(f"{wheel}[{extra}]", folder / extra)
    for module in MODULES[extra]:
        run(str(python), "-I", "-c", f"import {module}", cwd=folder)
    _say(f"the extra {extra} is usable")


def install(requirement: str, place: Path) -> Path:
    """A new environment with a requirement and what pip finds for it; its Python."""
    venv.create(place, with_pip=False)
    python = place / "bin" / "python"
    _pip(python, requirement)
    return python


def _pip(python: Path, *arguments: str) -> None:
    pip = (sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet")
    run(*pip, "--disable-pip-version-check", *arguments)


def write_sbom(python: Path) -> None:
    """Write the CycloneDX SBOM of an environment."""
    SBOM.parent.mkdir(exist_ok=True)
    options = ("--pyproject", str(ROOT / "pyproject.toml"), "--output-reproducible")
    cyclonedx = str(PROGRAMS / "cyclonedx-py")
    run(cyclonedx, "environment", *options, "--output-file", str(SBOM), str(python))
    _say(f"{SBOM.relative_to(ROOT)} names what the wheel needs")


def check_integrations() -> None:
    """Run the agents' own validators; a skip is a failure here."""
    printed = run(sys.executable, str(VALIDATORS))
    if skipped := re.search(r"^.*\bskip.*$", printed, re.IGNORECASE | re.MULTILINE):
        sys.exit(f"a validator was skipped: {skipped[0]}")
    _say("the agents' validators accept the integrations")


def _project() -> dict[str, Any]:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    project: dict[str, Any] = tomllib.loads(text)["project"]
    return project


def _say(*words: str) -> None:
    print("ok:", *words, flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
