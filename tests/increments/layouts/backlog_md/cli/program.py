"""The `backlog` program, installed from the lock file beside this module.

The package backlog.md starts the program for the user's platform, which is a package of its own;
this is the one for Linux.
"""

from pathlib import Path

from tests.servers.install import NotInstallable, install
from tests.servers.process import Unavailable

HERE = Path(__file__).resolve().parent


def command() -> tuple[str, ...]:
    """How the program is started; raises Unavailable."""
    try:
        install(HERE)
    except NotInstallable as error:
        raise Unavailable(f"npm backlog.md: {error}") from error
    return (str(HERE / "node_modules" / "backlog.md-linux-x64" / "backlog"),)
