"""Tool calls as a workflow says them: shortly, without paths, outputs and bookkeeping."""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import TYPE_CHECKING

from unlatch_sessions.workflow.wording import LONGEST, cut, without_paths

if TYPE_CHECKING:
    from unlatch_sessions.session_model import ToolCall


def _names(words: str) -> frozenset[str]:
    return frozenset(words.split())


# The tools of coding agents, in lower case and without separators: Claude Code, Codex, Gemini CLI
# and OpenCode name them so.
_READS = _names(
    """
    read view cat open readfile readmanyfiles notebookread glob grep ls list listdirectory search
    searchfilecontent websearch webfetch
    """
)
_WRITES = _names(
    """
    write edit multiedit create applypatch patch writefile replace notebookedit strreplace
    """
)
_SHELLS = _names("bash shell exec execcommand runshellcommand localshell run terminal")
# Calls for the agent's own lists and plans; a decision has a callout.
_BOOKKEEPING = _names(
    """
    todowrite todoread updateplan exitplanmode enterplanmode planexit askuserquestion
    requestuserinput askuser question writetodos taskcreate taskupdate tasklist
    """
)
_PATH = re.compile(
    r"(?<![\w.@+/-])/*+((?:[\w.@+-]++/)*[\w@+-][\w.@+-]*\.\w{1,8}|(?:[\w.@+-]++/)++[\w.@+-]++)"
)
# Words before a command: another shell, a folder, a variable, another user.
_BEFORE = re.compile(
    r"\A(?:(?:ba|z)?sh -l?c |cd \S+? ?(?:&&|;) ?|\w+=\S* |(?:sudo|time|env|command|exec) )+"
)
_MODULE = re.compile(r"python[\d.]* -m (\w+)")
_WITH_COMMANDS = _names("git npm npx pnpm yarn pip uv cargo go docker make gh kubectl")
# The kinds of failures, by the words of tools; the first one that fits counts.
_KINDS = tuple(
    (re.compile(pattern, re.IGNORECASE), kind)
    for pattern, kind in (
        (r"user doesn't want|rejected|refused by|declined|cancelled by", "refused by the person"),
        (
            r"command not found|not recognized as|no module named|cannot find module",
            "not installed",
        ),
        (r"no such file|not found|does not exist|ENOENT|cannot find", "not found"),
        (r"permission denied|EACCES|EPERM|read-only", "no permission"),
        (r"timed? ?out|timeout|deadline", "time-out"),
        (r"ECONNREFUSED|ENOTFOUND|could not resolve|network|connection", "no connection"),
        (r"syntax ?error|unexpected token|parse error", "syntax error"),
        (r"\b[1-9]\d* (?:failed|failing|failures?)\b|assert|\bFAILED\b", "failed tests"),
        (r"\b[1-9]\d* errors?\b|traceback", "errors"),
    )
)
_EXIT_CODE = re.compile(r"exit(?:ed with)? (?:code|status):? (-?\d{1,9})", re.IGNORECASE)


def is_step(call: ToolCall) -> bool:
    """Whether a call does something for the work."""
    return _tool(call) not in _BOOKKEEPING


def reads(call: ToolCall) -> bool:
    return _tool(call) in _READS


def writes(call: ToolCall) -> bool:
    return _tool(call) in _WRITES


def paths(call: ToolCall) -> list[str]:
    """The files that a tool for files names."""
    if not reads(call) and not writes(call):
        return []
    return [PurePath(path).as_posix() for path in _PATH.findall(without_paths(call.arguments))]


def shown(call: ToolCall) -> str:
    """The call in one line."""
    words = f"{call.tool} {_arguments(call)}".strip()
    return cut(words.replace("`", "'"), LONGEST)


def kind(call: ToolCall) -> str:
    """The tool with its program, by which calls that do the same are recognised."""
    if _tool(call) not in _SHELLS:
        return shown(call)
    return f"{call.tool} {_program(_arguments(call))}".strip()


def failure(call: ToolCall) -> str:
    """The failed call and its kind, in neutral words, without the output."""
    reason = next((kind for pattern, kind in _KINDS if pattern.search(call.result)), None)
    code = _EXIT_CODE.search(call.result)
    how = reason or (f"exit code {code[1]}" if code else "failed")
    what = kind(call) if _tool(call) in _SHELLS else call.tool
    return f"{cut(what.replace('`', ' '), LONGEST // 2)}: {how}"


def _tool(call: ToolCall) -> str:
    return re.sub(r"[^a-z]", "", call.tool.lower())


def _arguments(call: ToolCall) -> str:
    """The arguments without paths; none if they are data."""
    words = without_paths(call.arguments)
    if words[:1] in ("{", "["):
        return ""
    return _BEFORE.sub("", words, count=1) if _tool(call) in _SHELLS else words


def _program(command: str) -> str:
    if match := _MODULE.match(command):
        return match[1]
    words = command.split()
    has_own = len(words) > 1 and words[0] in _WITH_COMMANDS and words[1][:1].isalpha()
    return " ".join(words[: 2 if has_own else 1])
