"""Build the wheel and use it in a clean environment: what users get, not what lies in the tree.

    python tools/wheel_check.py

The wheel is installed with all extras into a virtual environment of its own; from a folder outside
the repository its command line answers, its plugins are found by their entry points, and the demo
runs.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
WANTED = ("unlatch/py.typed", "unlatch_github/py.typed", "unlatch_ado/", "unlatch_jira/")


def main() -> None:
    """Run the check; exits with the first command's code that fails."""
    with tempfile.TemporaryDirectory(prefix="unlatch-wheel-") as scratch:
        folder = Path(scratch)
        wheel = build(folder / "dist")
        check_contents(wheel)
        bin_folder = install(wheel, folder / "venv")
        use(bin_folder, folder)
    print(f"ok: {wheel.name} works in a clean environment")  # noqa: T201


def build(dist: Path) -> Path:
    """Build the wheel from the tree."""
    _run(sys.executable, "-m", "build", "--wheel", "--outdir", str(dist), str(ROOT))
    return next(dist.glob("*.whl"))


def check_contents(wheel: Path) -> None:
    """Make sure that the wheel holds all packages, and none of the tests."""
    names = zipfile.ZipFile(wheel).namelist()
    for wanted in WANTED:
        if not any(name.startswith(wanted) for name in names):
            sys.exit(f"the wheel lacks {wanted}")
    if stray := [name for name in names if name.startswith(("tests/", "tools/", "benchmarks/"))]:
        sys.exit(f"the wheel holds {stray[0]}")


def install(wheel: Path, place: Path) -> Path:
    """A clean environment with the wheel and all its extras; its folder of programs."""
    venv.create(place, with_pip=True)
    bin_folder = place / "bin"
    _run(str(bin_folder / "python"), "-m", "pip", "install", "--quiet", f"{wheel}[all]")
    return bin_folder


def use(bin_folder: Path, folder: Path) -> None:
    """Run the command line outside the tree."""
    unlatch = str(bin_folder / "unlatch")
    _run(unlatch, "--version", cwd=folder)
    _run(unlatch, "--help", cwd=folder)
    plugins = _run(unlatch, "plugins", cwd=folder)
    for title in ("GitHub", "Azure DevOps", "Jira"):
        if title not in plugins:
            sys.exit(f"the installed wheel does not find the plugin for {title}")
    demo = _run(unlatch, "demo", cwd=folder)
    for item in ("octo/widgets#4 reopened", "widgets 101 reopened", "SCRUM-28 reopened"):
        if item not in demo:
            sys.exit(f"the demo did not say {item!r}:\n{demo}")


def _run(*command: str, cwd: Path = ROOT) -> str:
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
