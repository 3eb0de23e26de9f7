"""Python loads this before unlatch: it writes down every program that the process starts.

Each line has the event, the program, whether the one function that runs git starts it, and the
arguments of what is started as an argument list.
"""

import json
import os
import sys

# Each with the position of the program among the arguments of the event.
_EVENTS = {
    "subprocess.Popen": 0,
    "os.exec": 0,
    "os.posix_spawn": 0,
    "os.spawn": 1,
    "os.startfile": 0,
    "os.system": 0,
    "pty.spawn": 0,
}
_LOG = os.environ["OBSERVED"]


def _observe(event: str, arguments: tuple[object, ...]) -> None:
    if event in _EVENTS:
        program = os.fsdecode(str(arguments[_EVENTS[event]]))
        line = json.dumps([event, program, _is_run_as_git(), _words(event, arguments)])
        descriptor = os.open(_LOG, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(descriptor, f"{line}\n".encode())
        os.close(descriptor)


def _words(event: str, arguments: tuple[object, ...]) -> list[str]:
    if event != "subprocess.Popen" or not isinstance(arguments[1], list | tuple):
        return []
    return [os.fsdecode(word) for word in arguments[1]]


def _is_run_as_git() -> bool:
    """Whether the one function that runs git is at work."""
    frame = sys._getframe().f_back
    while frame is not None:
        code = frame.f_code
        if code.co_name == "start_git" and code.co_filename.endswith("project/git/run.py"):
            return True
        frame = frame.f_back
    return False


sys.addaudithook(_observe)
