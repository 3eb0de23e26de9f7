"""One module asks for the system, so that what differs on macOS and Windows is found there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
SYSTEM = "core/unlatch/worklog/disk/system.py"
# It is run as a file of its own, and imports nothing of unlatch.
LAUNCHER = "plugins/unlatch_runs/dispatch/launcher.py"
# Names that a system lacks, or that name it.
DIFFERS = re.compile(
    r"sys\.platform|\bos\.name\b|platform\.system"
    r"|\b(?:import|from) (?:fcntl|pwd|grp|msvcrt|winreg)\b"
    r"|\bos\.(?:killpg|kill|get(?:e?[ug]id|pgid)|set_blocking|waitid|fork\w*|mkfifo)\("
    r"|O_(?:NOFOLLOW|NONBLOCK|CLOEXEC|DIRECTORY|BINARY)\b|SIG(?:HUP|KILL|XFSZ)|\.prctl\("
    # The name of the system, for click, is given before anything else is loaded.
    r"|(?:get|has)attr\((?:os|signal), (?!\"uname\")"
)
ALLOWED = {
    SYSTEM,
    LAUNCHER,
    # A script of the fleet, which needs process groups; as the launcher, it loads nothing else.
    "plugins/unlatch_fleet/leash.py",
    # Programs for tests and the demo, which need a system with process groups.
    "plugins/unlatch_runs/cli/demo.py",
    "plugins/unlatch_runs/testing/starts.py",
    "plugins/unlatch_runs/testing/worker.py",
}


def sources() -> list[str]:
    found = [path for folder in ("core", "plugins") for path in (ROOT / folder).rglob("*.py")]
    return sorted(path.relative_to(ROOT).as_posix() for path in found)


def code_of(name: str) -> str:
    """A module without its comments and docstrings, which may explain a system."""
    text = (ROOT / name).read_text(encoding="utf-8")
    return re.sub(r'"""[\s\S]*?"""|#.*', "", text)


@pytest.mark.sweep
def test_no_other_module_asks_for_the_system() -> None:
    asking = {name: DIFFERS.findall(code_of(name)) for name in sources() if name not in ALLOWED}
    assert {name: words for name, words in asking.items() if words} == {}


def test_the_module_of_the_system_asks() -> None:
    assert len(DIFFERS.findall(code_of(SYSTEM))) > 15
