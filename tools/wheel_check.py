"""Build wheel and sdist, and use the wheel in a clean environment.

    python tools/wheel_check.py

Both hold only files that tools/contents/ lists. The first line of README that installs unlatch does
so in a fresh clone, with all extras, into a virtual environment of its own, where it finds the
libraries that it declares and no others: they are linked from the environment that this runs in.
From a folder outside the repository its command line answers, its plugins are found by their entry
points, and the demo runs. That both packages are the same when they are built again, and that each
can be installed, is a check of a release (tools/release_check.py).
"""

from __future__ import annotations

import os
import re
import stat
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import venv
import zipfile
from importlib.metadata import Distribution, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent
CONTENTS = Path(__file__).parent / "contents"
# Not that of any checkout, in seconds.
_OTHER_TIME = 1_000_000_000
_INSTALL = re.compile(r"^pipx install '(?P<what>\.\[\w+\])'$", re.MULTILINE)


def main() -> None:
    """Run the check; exits with the first command's code that fails."""
    with tempfile.TemporaryDirectory(prefix="unlatch-wheel-") as scratch:
        folder = Path(scratch)
        sdist, wheel = build(folder / "dist")
        check_contents("sdist", names_in_sdist(sdist))
        check_contents("wheel", zipfile.ZipFile(wheel).namelist())
        use(install_clone(folder), folder)
    print(f"ok: {wheel.name} works in a clean environment")  # noqa: T201


def build(dist: Path, tree: Path = ROOT) -> tuple[Path, Path]:
    """Build the sdist from the tree, and the wheel from the sdist."""
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", str(dist), str(tree))
    return packages(dist)


def packages(dist: Path) -> tuple[Path, Path]:
    """The sdist and the wheel in a folder, which has nothing else."""
    names = sorted(path.name for path in dist.iterdir()) if dist.is_dir() else []
    match names:
        case [wheel, sdist] if wheel.endswith(".whl") and sdist.endswith(".tar.gz"):
            return dist / sdist, dist / wheel
    sys.exit(f"{dist} has {', '.join(names) or 'nothing'}, not an sdist and a wheel: make dist")


def check_reproducible(sdist: Path, wheel: Path, folder: Path) -> None:
    """Make sure that both are the same, byte for byte, when they are built elsewhere."""
    with tarfile.open(sdist) as archive:
        archive.extractall(folder / "elsewhere", filter="data")
    (tree,) = (folder / "elsewhere").iterdir()
    for path in tree.rglob("*"):
        os.utime(path, (_OTHER_TIME, _OTHER_TIME))
        path.chmod(path.stat().st_mode & stat.S_IRWXU)
    before = os.umask(0o077)
    try:
        again = build(folder / "again", tree)
    finally:
        os.umask(before)
    for first, second in zip((sdist, wheel), again, strict=True):
        if first.read_bytes() != second.read_bytes():
            sys.exit(f"{first.name} differs when it is built again")


def names_in_sdist(sdist: Path) -> list[str]:
    """Its files, below the one folder that it unpacks to."""
    with tarfile.open(sdist) as archive:
        members = [member for member in archive.getmembers() if not member.isdir()]
    if wrong := [member.name for member in members if not member.isfile()]:
        sys.exit(f"the sdist holds {wrong[0]}, which is no regular file")
    return [member.name.partition("/")[2] for member in members]


def check_contents(kind: str, names: list[str]) -> None:
    """Make sure that it holds all that is listed, and nothing else."""
    stray, missing = compare(names, (CONTENTS / f"{kind}.txt").read_text(encoding="utf-8"))
    if stray:
        sys.exit(f"the {kind} holds {stray[0]}, which tools/contents/{kind}.txt does not list")
    if missing:
        sys.exit(f"the {kind} holds nothing like {missing[0]}")


def compare(names: list[str], listed: str) -> tuple[list[str], list[str]]:
    """The names that no line of a list matches, and the lines that match no name."""
    lines = [line for line in listed.splitlines() if line and not line.startswith("#")]
    patterns = {line: re.compile(_expression(line)) for line in lines}
    stray = [name for name in names if not any(p.fullmatch(name) for p in patterns.values())]
    missing = [line for line in lines if not any(map(patterns[line].fullmatch, names))]
    return stray, missing


def _expression(line: str) -> str:
    spelled = {"**": ".*", "*": "[^/]*"}
    return "".join(spelled.get(part) or re.escape(part) for part in re.split(r"(\*+)", line))


def install_clone(folder: Path) -> Path:
    """Install by README's line, with pip for pipx, in a clone; the folder of programs."""
    typed = _INSTALL.search((ROOT / "README.md").read_text(encoding="utf-8"))
    if typed is None:
        sys.exit("README has no line that installs from a clone, as pipx install '.[all]'")
    clone, place = folder / "clone", folder / "cloned"
    run("git", "clone", "--quiet", "--no-hardlinks", str(ROOT), str(clone))
    venv.create(place)
    build = {"hatchling", *needed(distribution("hatchling"), frozenset(), {})}
    for name in build:
        link_distribution(distribution(name), site_of(place))
    run(*_pip(place), "--no-build-isolation", typed["what"], cwd=clone)
    return link_needed(place, present=frozenset(build))


def _pip(place: Path) -> tuple[str, ...]:
    python = str(place / "bin" / "python")
    pip = (sys.executable, "-m", "pip", "--python", python, "install")
    # Compiling all modules takes as long as the rest: a start compiles what it loads.
    return (*pip, "--quiet", "--no-index", "--no-deps", "--no-compile")


def site_of(place: Path) -> Path:
    """The folder of libraries of an environment."""
    paths = {"base": str(place), "platbase": str(place)}
    return Path(sysconfig.get_path("purelib", "venv", paths))


def link_needed(place: Path, *, present: frozenset[str] = frozenset()) -> Path:
    """Link what unlatch declares and is not there into an environment; its folder of programs."""
    site = site_of(place)
    (metadata,) = site.glob("unlatch-*.dist-info")
    names = needed(Distribution.at(metadata), frozenset({"all"}), {}).keys()
    for name in names - present - {"unlatch"}:
        link_distribution(distribution(name), site)
    return place / "bin"


def needed(
    package: Distribution, extras: frozenset[str], required: dict[str, frozenset[str]]
) -> dict[str, frozenset[str]]:
    """The names of all that a distribution requires, each with its extras."""
    for line in package.requires or ():
        wanted = Requirement(line)
        marker, name = wanted.marker, canonicalize_name(wanted.name)
        if marker and not any(marker.evaluate({"extra": extra}) for extra in extras | {""}):
            continue
        if name not in required or not wanted.extras <= required[name]:
            required[name] = required.get(name, frozenset()) | wanted.extras
            own = package if name == canonicalize_name(package.name) else distribution(name)
            needed(own, required[name], required)
    return required


def link_distribution(package: Distribution, site: Path) -> None:
    """Link the files of a distribution into a folder of libraries; compiled modules are shared."""
    for file in package.files or ():
        if file.parts[0] == ".." or file.parent.name == "__pycache__":  # a program, or as below
            continue
        (site / file).parent.mkdir(parents=True, exist_ok=True)
        (site / file).symlink_to(str(file.locate()))
        compiled = (site / file).with_name("__pycache__")
        if file.suffix == ".py" and not compiled.is_symlink():
            shared = Path(str(file.locate())).with_name("__pycache__")
            shared.mkdir(exist_ok=True)
            compiled.symlink_to(shared)


def use(bin_folder: Path, folder: Path) -> None:
    """Run the command line outside the tree."""
    unlatch = str(bin_folder / "unlatch")
    run(unlatch, "--version", cwd=folder)
    run(unlatch, "--help", cwd=folder)
    plugins = run(unlatch, "plugins", cwd=folder)
    for title in ("GitHub", "Azure DevOps", "Jira"):
        if title not in plugins:
            sys.exit(f"the installed wheel does not find the plugin for {title}")
    demo = run(unlatch, "demo", cwd=folder)
    for item in ("octo/widgets#4 reopened", "widgets 101 reopened", "SCRUM-28 reopened"):
        if item not in demo:
            sys.exit(f"the demo did not say {item!r}:\n{demo}")
    if "Reopened effort" not in (efforts := run(unlatch, "effort", "demo", cwd=folder)):
        sys.exit(f"the demo of efforts reopened nothing:\n{efforts}")


def run(*command: str, cwd: Path = ROOT) -> str:
    """Run a command, and return its output; exits if the command fails."""
    # The tree must not be importable by accident.
    environ = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(  # noqa: S603  (a fixed list of our own)
        command, cwd=cwd, env=environ, capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.stderr.write(done.stdout + done.stderr)
        sys.exit(f"{' '.join(command[:4])} ended with exit code {done.returncode}")
    return done.stdout


if __name__ == "__main__":
    main()
