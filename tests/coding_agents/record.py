"""Record transcripts of the real programs, which the tests of the readers read.

Run as `python -m tests.coding_agents.record [NAME]...`; it replaces the folders of these agents in
tests/unlatch_agents/transcripts/recorded. Each conversation has the same turns for all: a failed
call, a decision, and CASES. Aider takes calls of tools for text, so it has a change of a file in
place of the call.
"""

import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import requests
from tests.coding_agents.model import Model, call, serving, text
from tests.coding_agents.programs import environment, installed, version
from tests.coding_agents.wires import Block

RECORDED = Path(__file__).resolve().parents[1] / "unlatch_agents/transcripts/recorded"
CONTEXT = "The hook of SessionStart adds this."
# Its words are the program's, and no second decision.
SUMMARY = "<state_snapshot>\nDecision: add returns a + b.\n</state_snapshot>"
CASES = ("resume", "fork", "compaction", "interruption", "subagents", "context of hooks")
# The cases that no recording of an agent can have, and why.
WITHOUT = {
    "aider": {
        "fork": "it has no command for one",
        "compaction": "its summaries are nowhere but in its memory",
        "subagents": "it has none",
        "context of hooks": "it has none",
    },
}
# OpenCode has plugins in place of hooks; this is how one adds to a prompt.
_PLUGIN = f"""
export const Context = async () => ({{
  "chat.message": async (input, output) => {{
    const {{ id, sessionID }} = output.message
    const part = {{ type: "text", text: {json.dumps(CONTEXT)}, synthetic: true }}
    output.parts.push({{ id: "prt_" + id.slice(4), messageID: id, sessionID, ...part }})
  }},
}})
"""
# Characters of a text that are kept: prompts of the programs have thousands; and in lines that are
# no part of a conversation, where of a list the first element is kept.
_LONGEST, _SHORT = 700, 60
_OF_CONVERSATIONS = re.compile(r"(CREATE TABLE|INSERT INTO) .?(session|message|part)\b")
_ASIDE = frozenset(
    ("attachment", "api-request", "api-request-shape", "api-request-blob", "world_state")
)


@dataclass
class Stage:
    """A home folder, a project and a prepared model for one program."""

    name: str
    model: Model
    folder: Path
    variables: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.home, self.root = self.folder / "home", self.folder / "demo"
        self.root.mkdir(parents=True)
        git = ("git", "init", "--quiet", "--initial-branch=main")
        subprocess.run(git, cwd=self.root, check=True)
        self.environ = environment(self.home, self.model)
        self.command = installed(self.name)
        self.add_context = self.folder / "context.json"
        specific = {"hookEventName": "SessionStart", "additionalContext": CONTEXT}
        self.add_context.write_text(json.dumps({"hookSpecificOutput": specific}))

    def run(self, *options: str, stop: signal.Signals | None = None) -> str:
        """Run the program to its end, or until its call has made the file `started`."""
        started = self.root / "started"
        started.unlink(missing_ok=True)
        process = subprocess.Popen(
            [*self.command, *options],
            cwd=self.root,
            env={**self.environ, **self.variables},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        while stop and not self._waits(started) and process.poll() is None:
            time.sleep(0.1)
        if stop:
            time.sleep(2)  # it notes the call
            os.killpg(process.pid, stop)  # as Ctrl-C does
        output, _ = process.communicate(timeout=180)
        sys.stderr.write(f"{self.name} {' '.join(options)[:60]}: {process.returncode}\n{output}\n")
        return output

    def _waits(self, started: Path) -> bool:
        return started.exists() or self.model.waits.is_set()

    def hooks(self, path: str, **more: object) -> None:
        """Add the hook of SessionStart to a settings file in the home folder."""
        hook = {"hooks": [{"type": "command", "command": f"cat {self.add_context}"}]}
        file = self.home / path
        file.parent.mkdir(parents=True, exist_ok=True)
        known = json.loads(file.read_text()) if file.exists() else {}
        file.write_text(json.dumps({**known, **more, "hooks": {"SessionStart": [hook]}}))


WAIT = "touch started; sleep 60"
DECISION = text("Decision: add returns a + b.")
LOOKED = text("It was looked at.")


def script(**replies: Sequence[Block | None]) -> Callable[[str], Block | None]:
    """Replies by the words that the conversation has last, with _ for a space."""
    left = {key: [*some] for key, some in replies.items()}

    def reply_to(asked: str) -> Block | None:
        words = sorted(left, key=lambda it: asked.rfind(it.replace("_", " ")), reverse=True)
        for key in words:
            if key.replace("_", " ") in asked and left[key]:
                return left[key].pop(0)
        return text("Fine.")

    return reply_to


def claude_code(stage: Stage) -> Iterator[Path]:
    stage.hooks(".claude/settings.json")
    stage.variables = {"IS_SANDBOX": "1"}
    agent = {"description": "Look", "prompt": "See to it", "subagent_type": "general-purpose"}
    stage.model.reply_to = script(
        Fix_add=[call("Bash", command="ls missing.py", description="List"), DECISION],
        Look_at_it=[call("Agent", **agent, run_in_background=False), LOOKED],
        See_to_it=[text("I see.")],
        detailed_summary=[text(SUMMARY)],
        Wait_for_it=[call("Bash", command=WAIT, description="Wait")],
        Wait_again=[call("Bash", command=WAIT, description="Wait")],
    )

    def run(*words: str, stop: signal.Signals | None = None) -> str:
        options = ("--output-format", "json", "--dangerously-skip-permissions")
        output = stage.run("-p", *options, *words, stop=stop)
        with suppress(ValueError):
            return str(json.loads(output)["session_id"])
        return ""

    main = run("Fix add")
    run("--resume", main, "Look at it")
    fork = run("--resume", main, "--fork-session", "Try a loop")
    run("--resume", fork, "--fork-session", "Try recursion")
    run("--resume", main, "/compact")
    run("--resume", main, "--fork-session", "Try a table")
    run("--resume", main, "Go ahead with sum")
    stopped = run("Wait for it", stop=signal.SIGINT)
    run("--resume", stopped, "Write a loop for it")
    run("Wait again", stop=signal.SIGTERM)
    run("--continue", "Write it as before")
    yield from sorted((stage.home / ".claude/projects").rglob("*.json*"))


def codex(stage: Stage) -> Iterator[Path]:
    stage.hooks(".codex/hooks.json")
    spawn = call("multi_agent_v1.spawn_agent", message="See to it", agent_type="default")
    stage.model.reply_to = script(
        Fix_add=[call("exec_command", cmd="ls missing.py"), DECISION],
        Look_at_it=[spawn, LOOKED],
        See_to_it=[text("I see.")],
        Wait_for_it=[call("exec_command", cmd=WAIT, yield_time_ms=30_000)],
    )

    def run(*options: str, stop: signal.Signals | None = None) -> None:
        first = ("exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox")
        stage.run(*first, "--dangerously-bypass-hook-trust", *options, stop=stop)

    run("Fix add")
    (main,) = _rollouts(stage)
    run("resume", main, "Look at it")
    known = _rollouts(stage)
    run("fork", main, "Try a loop")
    (fork,) = set(_rollouts(stage)) - set(known)
    run("resume", main, "Go ahead with sum")
    run("fork", fork, "Try recursion")
    run("Wait for it", stop=signal.SIGINT)
    run("resume", "--last", "Write a loop for it")
    run("-c", "model_auto_compact_token_limit=1", "resume", "--last", "And now?")
    yield from sorted((stage.home / ".codex/sessions").rglob("*.jsonl*"))


def _rollouts(stage: Stage) -> list[str]:
    found = (stage.home / ".codex/sessions").rglob("rollout-*.jsonl")
    return [it.stem[-36:] for it in sorted(found)]


def gemini_cli(stage: Stage) -> Iterator[Path]:
    stage.model.reply_to = script(
        Fix_add=[call("run_shell_command", command="ls missing.py"), DECISION],
        Look_at_it=[call("invoke_agent", agent_name="generalist", prompt="See to it"), LOOKED],
        See_to_it=[call("complete_task", result="I see.")],
        Wait_for_it=[call("run_shell_command", command=WAIT)],
    )
    options = ("-m", "gemini-2.5-flash", "--approval-mode", "yolo")
    latest = (*options, "-r", "latest", "-p")
    stage.run(*options, "-p", "Fix add")
    stage.run(*latest, "Look at it")
    stage.run(*latest, "Wait for it", stop=signal.SIGINT)
    stage.run(*latest, "Write a loop for it")
    chats = stage.home / ".gemini/tmp"
    stage.run(*options, "--session-file", str(min(chats.rglob("session-*"))), "-p", "Try a loop")
    (fork,) = chats.rglob("session-1*")  # a copy has the time of its making in its name
    yield fork  # 0.61.0 removes it when a new one begins
    stage.run(*options, "--session-file", str(fork), "-p", "Try recursion")
    settings = stage.home / ".gemini/settings.json"
    known = json.loads(settings.read_text())
    settings.write_text(json.dumps({**known, "model": {"compressionThreshold": 0.000001}}))
    stage.run(*latest, "And now?")
    settings.write_text(json.dumps(known))
    yield from sorted(chats.rglob("*.jsonl"))
    stage.hooks(".gemini/settings.json")
    stage.run(*options, "-p", "Explain add")
    stage.run(*latest, "Explain more")
    yield from sorted(chats.rglob("*.jsonl"))


def opencode(stage: Stage) -> Iterator[Path]:
    plugin = stage.home / ".config/opencode/plugin/context.js"
    plugin.parent.mkdir()
    plugin.write_text(_PLUGIN)
    agent = {"description": "Look", "prompt": "See to it", "subagent_type": "general"}
    stage.model.reply_to = script(
        Fix_add=[call("bash", command="ls missing.py", description="List"), DECISION],
        Look_at_it=[call("task", **agent), LOOKED],
        See_to_it=[text("I see.")],
        Wait_for_it=[call("bash", command=WAIT, description="Wait")],
        Look_again=[call("task", **{**agent, "prompt": "Stay with it"})],
        Stay_with_it=[None],
    )
    database = stage.home / ".local/share/opencode/opencode.db"

    def run(aside: str, *words: str, stop: signal.Signals | None = None) -> str:
        """Run it with the title or summary that it asks for; the session that is the newest."""
        stage.model.aside = text(aside)
        stage.run("run", *words, stop=stop)
        with closing(sqlite3.connect(database)) as connection:
            query = "SELECT id FROM session WHERE parent_id IS NULL ORDER BY time_created DESC"
            return str(connection.execute(query).fetchone()[0])

    main = run("Fix add", "Fix add")
    run("", "-c", "Look at it")
    fork = run("", "-s", main, "--fork", "Try a loop")
    run("", "-s", fork, "--fork", "Try recursion")
    _summarize(stage, main)
    run("", "-s", main, "--fork", "Try a table")
    run("", "-s", main, "Go ahead with sum")
    stopped = run("Wait", "Wait for it", stop=signal.SIGINT)
    run("", "-s", stopped, "Write a loop for it")
    _summarize(stage, stopped, auto=True)
    _abort(stage, stopped, "Look again")
    yield database


def _summarize(stage: Stage, session: str, *, auto: bool = False) -> None:
    """Compact a session, for which `run` has no command, by the program's server.

    Args:
        auto: as where its messages are too many, after which the program goes on by itself.
    """
    stage.model.aside = text(SUMMARY)
    with _server(stage) as url:
        _post(f"{url}/session/{session}/summarize", **_SCRIPTED, auto=auto)


def _abort(stage: Stage, session: str, words: str) -> None:
    """Stop an agent, as Escape in the terminal does, while its own agent waits for the model."""
    with _server(stage) as url:
        parts = [{"type": "text", "text": words}]
        _post(f"{url}/session/{session}/prompt_async", parts=parts, model=_SCRIPTED)
        stage.model.waits.wait(60)
        _post(f"{url}/session/{session}/abort")
        time.sleep(2)  # it notes the end of the call


_SCRIPTED = {"providerID": "scripted", "modelID": "scripted"}


def _post(url: str, **values: object) -> None:
    requests.post(url, json=values, timeout=120).raise_for_status()


@contextmanager
def _server(stage: Stage) -> Iterator[str]:
    """The address of the program's server."""
    command = [*stage.command, "serve", "--hostname", "127.0.0.1", "--port", "0"]
    with subprocess.Popen(
        command, cwd=stage.root, env=stage.environ, stdout=subprocess.PIPE, text=True
    ) as server:
        found = (re.search(r"http://\S+", line) for line in server.stdout or ())
        try:
            yield next(it[0] for it in found if it)
        finally:
            server.terminate()


def aider(stage: Stage) -> Iterator[Path]:
    edit = f"{DECISION['text']}\n\nadd.py\n```\ndef add(a, b):\n    return a + b\n```"
    stage.model.reply_to = script(
        Fix_add=[text(edit)],
        Look_at_it=[LOOKED],
        summarize_this=[text(SUMMARY)],
        Wait_for_it=[None],
    )
    quiet = ("analytics", "check-update", "show-release-notes", "show-model-warnings", "git")
    options = (*(f"--no-{it}" for it in quiet), "--no-stream", "--yes-always")

    def run(*words: str, stop: signal.Signals | None = None) -> None:
        stage.run(*options, "--model", "openai/scripted", *words, stop=stop)

    again = ("--restore-chat-history", "--message")
    run("--message", "Fix add")
    run(*again, "Look at it")
    run("--max-chat-history-tokens", "1", *again, "And now?")
    run("--message", "Wait for it", stop=signal.SIGINT)
    run(*again, "Write a loop for it")
    yield stage.root / ".aider.chat.history.md"


AGENTS: dict[str, Callable[[Stage], Iterator[Path]]] = {
    "claude_code": claude_code,
    "codex": codex,
    "gemini_cli": gemini_cli,
    "opencode": opencode,
    "aider": aider,
}


def record(name: str) -> None:
    with (
        TemporaryDirectory(dir=Path.home(), prefix="unlatch-record-") as folder,
        serving() as model,
    ):
        model.aside = text(SUMMARY)
        stage = Stage(name, model, Path(folder))
        target = RECORDED / f"{name.replace('_', '-')}-{version(name)}"
        shutil.rmtree(target, ignore_errors=True)
        for path in AGENTS[name](stage):
            top = stage.home if path.is_relative_to(stage.home) else stage.folder
            _keep(path, stage, target / path.relative_to(top))


def _keep(path: Path, stage: Stage, target: Path) -> None:
    """Write a recorded file with the same folders for all, and without long texts."""
    target = Path(_neutral(str(target), stage))
    target.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".db":
        _dump(path, stage, target.with_suffix(".sql"))
        return
    whole = _neutral(path.read_text(encoding="utf-8"), stage)
    if path.suffix == ".md":
        target.write_text(whole, encoding="utf-8")
        return
    lines = map(json.loads, whole.splitlines())
    kept = (_cut(it, _SHORT if it.get("type") in _ASIDE else _LONGEST) for it in lines)
    written = "".join(f"{json.dumps(it, ensure_ascii=False)}\n" for it in kept)
    target.write_text(written, encoding="utf-8")


def _dump(path: Path, stage: Stage, target: Path) -> None:
    """Write a database as SQL, with the tables of conversations alone."""
    with closing(sqlite3.connect(path)) as database:
        found = [it for it in database.iterdump() if _OF_CONVERSATIONS.match(it)]
    target.write_text(_neutral("".join(f"{it}\n" for it in found), stage), encoding="utf-8")


def _cut(value: Any, longest: int) -> Any:
    if isinstance(value, dict):
        return {key: _cut(inner, longest) for key, inner in value.items()}
    if isinstance(value, list):
        return [_cut(inner, longest) for inner in value[: 1 if longest == _SHORT else None]]
    if isinstance(value, str) and len(value) > longest:
        return f"{value[:longest]} (cut)"
    return value


def _neutral(words: str, stage: Stage) -> str:
    places = ((stage.root, "/home/dev/demo"), (stage.home, "/home/dev"), (stage.folder, "/stage"))
    for path, name in (*places, (Path(stage.command[-1]).parent, "/usr/bin")):
        words = words.replace(str(path), name)
        words = words.replace(str(path).replace("/", "-"), name.replace("/", "-"))
    return words


if __name__ == "__main__":
    for agent in sys.argv[1:] or AGENTS:
        record(agent)
