"""unlatch effort chat: piped, at a terminal, and without a model."""

import json
from datetime import UTC, datetime
from typing import Any

from tests.cli.project import Project
from tests.cli.terminal import CTRL_C, Terminal
from tests.transport.faulty import Faulty
from tests.unlatch_efforts.llm.asking import STOP, chunk, event, raw

from unlatch.worklog.ids import new_ulid
from unlatch_efforts.conversation import Conversation
from unlatch_efforts.store import EffortStore
from unlatch_efforts.transcript import Author

CTRL_D = "\x04"
EVIL = "\x1b]0;owned\x07\x1b[31mred"


def use(name: str, /, **arguments: Any) -> dict[str, Any]:
    return {"tool_calls": [{"name": name, "arguments": arguments}]}


def script(project: Project, *replies: Any) -> str:
    path = project.root / "replies.json"
    path.write_text(json.dumps(replies))
    return str(path)


def log(project: Project, effort: str) -> list[str]:
    path = project.root / ".unlatch" / "efforts" / effort / "log.jsonl"
    return [json.loads(line)["content"] for line in path.read_text().splitlines()]


def ambient(project: Project) -> list[dict[str, Any]]:
    folder = project.root / ".unlatch" / "efforts" / "_conversations" / "main"
    return [json.loads(line) for line in (folder / "ambient.jsonl").read_text().splitlines()]


def configure(project: Project, url: str) -> None:
    config = project.home / ".config" / "unlatch" / "config.toml"
    config.parent.mkdir(parents=True, exist_ok=True)
    with config.open("a") as file:
        file.write(f'\n[llm]\nbase_url = "{url}/v1"\nmodel = "small"\n')


def test_each_line_of_stdin_is_a_message(project: Project) -> None:
    replies = script(project, use("open_effort", name="auth-bug"), "Looking.", "Found it.")
    done = project.run(
        "effort", "chat", "--script", replies, stdin="401 errors\n\nAnd now?\n"
    ).ends(0, err="[auth-bug, ")
    assert done.out == "--- Started effort: auth-bug ---\nLooking.\nFound it.\n"
    said = log(project, "auth-bug")
    assert [said[0], said[3], said[4], said[5]] == [
        "401 errors",
        "Looking.",
        "And now?",
        "Found it.",
    ]


def test_without_a_model_or_with_a_message_that_is_too_long_a_pipe_ends(project: Project) -> None:
    project.run("effort", "chat", stdin="Hello\n").ends(1, err="error[llm-unconfigured]")
    replies = script(project, "Hi.")
    project.run("effort", "chat", "--script", replies, stdin="x" * 100_001 + "\n").ends(
        2, err=("error[message-too-long]", "next: send it in parts")
    )


def test_a_chat_shows_no_escapes_and_goes_on_after_an_error_of_the_model(project: Project) -> None:
    with Terminal(project, "effort", "chat", "--script", script(project, EVIL)) as terminal:
        for number, answer in enumerate(("red", "llm-script-ended"), 1):
            terminal.answer("you> ", f"Message {number}\r", times=number)
            terminal.expect(answer)
        terminal.expect("you> ", times=3)
        assert EVIL not in terminal.raw
        terminal.type(CTRL_D)
        assert terminal.end() == 0
    assert project.run("effort", "verify").code == 0


def test_ctrl_c_in_an_answer_keeps_what_arrived_and_the_chat_goes_on(project: Project) -> None:
    begun = event(chunk({"content": "The token"})) + event(chunk({"content": " expires"}))
    whole = raw(event(chunk({"content": "Refresh it."})), event(STOP), event("[DONE]"))
    with Faulty(raw(begun, end=False), whole) as server:
        configure(project, server.url)
        with Terminal(project, "effort", "chat") as terminal:
            terminal.answer("you> ", "401 errors\r")
            terminal.expect("The token expires")
            terminal.interrupt(
                "Interrupted; your message and the beginning of the answer are logged."
            )
            terminal.answer("you> ", "And now?\r", times=2)
            terminal.expect("Refresh it.")
            terminal.answer("you> ", CTRL_D, times=3)
            assert terminal.end() == 0
    said = [(one["content"], one.get("interrupted")) for one in ambient(project)]
    assert said == [
        ("401 errors", None),
        ("The token expires", True),
        ("And now?", None),
        ("Refresh it.", None),
    ]
    assert project.run("effort", "verify").code == 0


def test_ctrl_c_at_the_prompt_ends_the_chat(project: Project) -> None:
    replies = script(project, "Hi.", "Again.")
    with Terminal(project, "effort", "chat", "--script", replies) as terminal:
        terminal.answer("you> ", "Hello\r")
        terminal.answer("you> ", "half a mess", times=2)
        # Ctrl-C drops what readline has not read yet, and then it would wait for a key.
        terminal.expect("half a mess")
        assert terminal.leave(CTRL_C) == 0
        assert "Traceback" not in terminal.text
    project.run("effort", "chat", "--script", replies, stdin="Back\n").ends(0)
    assert [one["content"] for one in ambient(project)] == ["Hello", "Hi.", "Back", "Hi."]


def test_an_answer_without_text_is_said(project: Project) -> None:
    status = use("effort_status")
    replies = script(project, {"content": None}, *[status] * 4, status, status, status, status)
    done = project.run("effort", "chat", "--script", replies, stdin="Hello\nAnd now?\n").ends(
        0, err="Not run: effort_status. A turn has at most 3 rounds of tools.", whole_out=""
    )
    silent = "The model answered without text."
    assert done.err.count(silent) == 2


def test_a_chat_says_that_it_waits_and_ctrl_c_sends_nothing(project: Project) -> None:
    project.run("effort", "open", "auth-bug")
    author = Author("ada", lambda: datetime.now(UTC), new_ulid)
    store = EffortStore(project.root / ".unlatch" / "efforts", author)
    with (
        Conversation(store).lock(),
        Terminal(project, "effort", "chat", "--script", script(project, "Hi.")) as terminal,
    ):
        terminal.answer("you> ", "Hello\r")
        terminal.expect("Waiting for another process that uses the conversation main.")
        terminal.interrupt("Interrupted; your message was not sent.")
        terminal.answer("you> ", CTRL_D, times=2)
        assert terminal.end() == 0
    assert not (store.root / "auth-bug" / "log.jsonl").exists()
