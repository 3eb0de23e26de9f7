"""Tokens that a process holds in its memory alone, because workers could read its environment.

Linux shows the environment that a process was started with in /proc/PID/environ, whatever the
process removes from it later. So a process that starts workers replaces itself once: the new one
gets the tokens through a pipe.
"""

from __future__ import annotations

import json
import os
import stat
import sys
from contextlib import suppress

from unlatch.cli import runtime
from unlatch.errors import UnlatchError
from unlatch.project.program_environment import program_environment, secret_variables
from unlatch.project.registry import Registry
from unlatch.worklog.disk import system

_PR_SET_DUMPABLE = 4


def take_tokens() -> None:
    """Take the tokens of the process that this one replaced."""
    with suppress(KeyError, OSError, ValueError):
        runtime.tokens.update(_read(int(os.environ.pop(runtime.TOKEN_PIPE))))
    system.hide_memory()


def _read(descriptor: int) -> dict[str, str]:
    if not stat.S_ISFIFO(os.fstat(descriptor).st_mode):
        return {}
    system.set_blocking(descriptor, blocking=False)
    with open(descriptor, encoding="utf-8") as pipe:
        tokens: dict[str, str] = json.load(pipe)
    return tokens


def hold_tokens() -> None:
    """Replace this process by one that runs the same command with its tokens in memory.

    Nothing may have been recorded yet. UnlatchError: `tokens-not-held`.
    """
    environ = program_environment(os.environ, secrets=secret_variables(Registry()))
    tokens = {name: value for name, value in os.environ.items() if name not in environ}
    if not tokens or not runtime.command_line or not system.REPLACES_PROCESSES:
        return
    problem = _replace(environ, json.dumps(tokens).encode())
    message = f"the tokens cannot be kept from the programs of this command: {problem}"
    hint = f"unset {' '.join(sorted(tokens))}, then run the command again"
    raise UnlatchError("tokens-not-held", message, hint=hint)


def _replace(environ: dict[str, str], content: bytes) -> str:
    """Become a process with this environment that reads the content; the reason if it fails."""
    reader, writer = os.pipe()
    os.set_inheritable(reader, True)
    # Nobody reads before this process is replaced, which also closes this end.
    system.set_blocking(writer, blocking=False)
    flag = "-I" if sys.flags.isolated else "-P"
    command = [sys.executable, flag, "-m", "unlatch.cli", *runtime.command_line[1:]]
    environ[runtime.TOKEN_PIPE] = str(reader)
    try:
        if os.write(writer, content) < len(content):
            return "they are too long"
        os.execve(command[0], command, environ)  # noqa: S606  (this program)
    except OSError as error:
        return error.strerror or str(error)
