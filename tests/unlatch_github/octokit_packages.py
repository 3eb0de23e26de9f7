"""What octokit publishes of GitHub's events and queries, as its lock file names it."""

from pathlib import Path

from tests.servers.availability import skipped_unless_available
from tests.servers.install import NotInstallable, install
from tests.servers.process import Unavailable

_HERE = Path(__file__).parent / "octokit"
MODULES = _HERE / "node_modules"


def install_octokit() -> None:
    """Install the packages, or skip the test."""
    with skipped_unless_available():
        try:
            install(_HERE)
        except NotInstallable as error:
            raise Unavailable(f"npm @octokit: {error}") from error
