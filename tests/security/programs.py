"""The programs that commands may start."""

from enum import StrEnum


class Program(StrEnum):
    """A program that a command may start."""

    GIT = "git"
    TOKEN = "the vendor's program that prints a token (gh, az)"
    TASKS = "tasks_command of the user's configuration"
    EDITOR = "the user's editor"
    BROWSER = "the user's browser, for --web"
    PAGER = "the user's pager, at a terminal"
    UNLATCH = "unlatch"
    AGENT = "the program of --exec"
    WORKER = "the programs of a run (--worker, --auditor, --usage, --hook, acceptance commands)"


_GIT = frozenset({Program.GIT})
_TOKEN = frozenset({Program.TOKEN})
_PAGER = frozenset({Program.PAGER})
_BROWSER = frozenset({Program.BROWSER})
_UNLATCH = frozenset({Program.UNLATCH})
_EDIT = _GIT | {Program.EDITOR}  # for --edit
_ITEMS = _GIT | _TOKEN
_CLOSE = _ITEMS | {Program.EDITOR}
_FINISH = _CLOSE | _PAGER
_SCOPE = _FINISH | {Program.TASKS}
# Of the groups of trackers, such as `unlatch github`.
OF_GROUPS = _CLOSE
PROGRAMS: dict[str, frozenset[Program]] = {
    "resume": _SCOPE,
    "reopen": _SCOPE,
    "close": _CLOSE,
    "undo": _FINISH,
    "apply": _FINISH,
    "complete": _FINISH,
    "new": _ITEMS,
    "start": _EDIT,
    "pause": _EDIT,
    "review": _EDIT,
    "backlog": _EDIT,
    "abandon": _FINISH,
    "status": _ITEMS | _BROWSER,
    "list": _PAGER,
    "show": _TOKEN | _PAGER | _BROWSER,
    "history": _ITEMS | _PAGER,
    "report": _ITEMS | _PAGER,
    "regressions": _ITEMS,
    "search": frozenset(),
    "similar": frozenset(),
    "link": _ITEMS,
    "unlink": _GIT,
    "sync": _ITEMS,
    "ingest": _ITEMS,
    "mcp": _UNLATCH,
    "agents": _GIT,
    "workflow": frozenset(),
    "effort": _EDIT,
    "session": _EDIT | {Program.AGENT},
    "run": _EDIT | _UNLATCH | {Program.WORKER},
    "fleet": _GIT | _UNLATCH,
    "init": _GIT,
    "doctor": _ITEMS,
    "auth": _TOKEN,
    "config": frozenset(),
    "plugins": frozenset(),
    "completion": frozenset(),
    "help": _PAGER,
    "demo": _GIT | _UNLATCH,
    "sandbox": frozenset(),
    "migrate": _GIT,
    "merge": _GIT,
    "merge-driver": _GIT,
}
