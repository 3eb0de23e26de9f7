"""unlatch mcp, with the official client: in this process and over stdio, in both protocol eras."""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Literal

import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.types import CallToolResult
from mcp_types import ElicitRequestParams, ElicitResult
from tests.cli.project import Project
from tests.warm.client import unlatch

from unlatch.chat_model import estimate
from unlatch_mcp import calls as calls_module
from unlatch_mcp.calls import Calls
from unlatch_mcp.server import build_server, definitions

REASON = "Another edge case"
MODES: tuple[Literal["auto", "legacy"], ...] = ("auto", "legacy")
SNAPSHOT = Path(__file__).parents[3] / "schemas/mcp-tools.json"


def start_warm(patch: pytest.MonkeyPatch) -> None:
    """Let `Calls` start its commands warm."""
    patch.setattr(calls_module, "_UNLATCH", unlatch())


class Talk:
    """A conversation with a server in this process, whose commands start warm."""

    def __init__(self, project: Project, **options: Any) -> None:
        self.now = 0.0
        start_warm(project.monkeypatch)
        calls = Calls(project.root, project.environ)
        toolsets = options.pop("toolsets", ("work",))
        writes = options.pop("allow_writes", True)
        self._server = build_server(
            calls, toolsets=toolsets, allow_writes=writes, clock=lambda: self.now
        )
        self._options = options

    def __call__(self, steps: Callable[[Client], Awaitable[Any]], mode: Any = "auto") -> Any:
        async def go() -> Any:
            async with Client(self._server, mode=mode, **self._options) as client:
                return await steps(client)

        return asyncio.run(go())

    def call(self, tool: str, mode: Any = "auto", **arguments: Any) -> CallToolResult:
        found: CallToolResult = self(lambda client: client.call_tool(tool, arguments), mode)
        return found

    def result(self, tool: str, mode: Any = "auto", **arguments: Any) -> dict[str, Any]:
        done = self.call(tool, mode, **arguments)
        assert not done.is_error, done.content
        assert done.structured_content is not None
        return dict(done.structured_content)

    def error(self, tool: str, mode: Any = "auto", **arguments: Any) -> str:
        return text_of(self.call(tool, mode, **arguments))


def text_of(done: CallToolResult) -> str:
    assert done.is_error
    return str(done.content)


@pytest.mark.parametrize("toolset", ["work", "efforts"])
def test_the_definitions_are_few_and_short(toolset: str) -> None:
    tools = json.loads(SNAPSHOT.read_text())[toolset]
    assert len(tools) <= 12
    seen = [{key: value for key, value in one.items() if key != "annotations"} for one in tools]
    assert estimate(json.dumps(seen)) <= 1200
    assert all("readOnlyHint" in one["annotations"] for one in tools)


def test_without_consent_no_tool_writes(project: Project) -> None:
    calls = Calls(project.root, {})
    server = build_server(calls, toolsets=("work", "efforts"), allow_writes=False)
    found = asyncio.run(definitions(server))
    assert found
    assert all(one["annotations"]["readOnlyHint"] for one in found)


@pytest.mark.parametrize("mode", MODES)
def test_a_resume_is_planned_and_applied_once(project: Project, mode: str) -> None:
    name = project.increment(links=project.items("github"))
    talk = Talk(project)
    planned = talk.result("plan_resume", mode, id="7", reason=REASON)
    assert planned["plan"]["schema"] == "unlatch.dry-run/1"
    assert project.metadata(name)["status"] == "completed"
    done = talk.result("apply_plan", mode, token=planned["token"])
    assert done["schema"] == "unlatch.resume/1"
    assert project.metadata(name)["reopenHistory"][0]["reason"] == REASON
    assert project.states() == {"github": "open"}
    assert "plan-unknown" in talk.error("apply_plan", mode, token=planned["token"])


@pytest.mark.sweep
def test_a_plan_counts_on_its_server_alone(project: Project) -> None:
    name = project.increment(links=project.items("github"))
    token = Talk(project).result("plan_resume", id="7", reason=REASON)["token"]
    for other in (token, token[:-1], ""):
        assert "plan-unknown" in Talk(project).error("apply_plan", token=other)
    assert project.metadata(name)["status"] == "completed"
    assert project.wrote() == []


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("plan_resume", {"id": "7", "reason": REASON}),
        ("open_effort", {"title": "Auth bug"}),
    ],
)
def test_a_tool_that_writes_is_unknown_without_consent(
    project: Project, tool: str, arguments: dict[str, str]
) -> None:
    project.increment(links=project.items("github"))
    before = project.tree()
    talk = Talk(project, allow_writes=False, toolsets=("work", "efforts"))
    assert "Unknown tool" in talk.error(tool, **arguments)
    assert (before, []) == (project.tree(), project.wrote())


def test_a_plan_expires_and_is_bound_to_what_it_showed(project: Project) -> None:
    name = project.increment(links=project.items("github"))
    talk = Talk(project)
    old = talk.result("plan_resume", id="7", reason=REASON)["token"]
    talk.now = 601.0
    assert "plan-expired" in talk.error("apply_plan", token=old)
    changed = talk.result("plan_resume", id="7", reason=REASON)["token"]
    assert project.run("github", "reopen-issue", "7", "--reason", "Elsewhere").code == 0
    assert "plan-changed" in talk.error("apply_plan", token=changed)
    assert project.metadata(name)["status"] == "completed"


def with_effort(project: Project) -> None:
    for words in (
        ("open", "Auth bug"),
        ("close", "--summary", "Refresh tokens at 401."),
        ("link", "auth-bug", "7"),
    ):
        assert project.run("effort", *words).code == 0


def test_other_work_is_shown_by_its_id(project: Project) -> None:
    project.increment()
    with_effort(project)
    talk = Talk(project)
    for ref in ("effort:auth-bug", "effort:auth"):
        shown = talk.result("show_increment", id=ref)
        assert (shown["schema"], shown["effort"]["id"]) == ("unlatch.effort-show/1", "auth-bug")
        briefing = f"--briefing takes an increment, and {ref} is none; next: show_increment {ref}"
        assert briefing in talk.error("briefing", id=ref)
        name = ref.removeprefix("effort:")
        planned = f"a plan takes an increment, and {ref} is none; next: reopen_effort {name} "
        assert planned in talk.error("plan_resume", id=ref, reason=REASON)
    session = talk.error("plan_resume", id="session:x", reason=REASON)
    assert "the user can do this at a terminal: unlatch session resume x --reason TEXT" in session


@pytest.mark.parametrize(
    "tool", [pytest.param("plan_resume", marks=pytest.mark.sweep), "plan_reopen"]
)
def test_a_deliberately_closed_item_is_planned_only_on_demand(project: Project, tool: str) -> None:
    project.box.github.add_issue(
        number=4, title="Login", state="closed", state_reason="not_planned"
    )
    arguments: dict[str, Any] = {"items": [project.urls["github"]]}
    if tool == "plan_resume":
        project.increment(links={"github": {"issueNumber": 4, "issueUrl": project.urls["github"]}})
        arguments = {"id": "7"}
    talk = Talk(project)

    found = talk.result(tool, reason=REASON, **arguments)

    (item,) = found["plan"]["items"]
    assert item["error"]["id"] == "deliberately-closed"
    assert item["error"]["hint"] == "to reopen it, repeat with even_if_not_planned: true"
    if tool == "plan_reopen":  # a plan without any change has no token
        assert ("token" in found, "nothing to apply" in found["message"]) == (False, True)
    token = talk.result(tool, reason=REASON, even_if_not_planned=True, **arguments)["token"]
    talk.result("apply_plan", token=token)
    assert project.states() == {"github": "open"}


def test_a_next_step_names_tools_and_parameters(project: Project) -> None:
    project.increment()
    talk = Talk(project, toolsets=("work", "efforts"))
    unknown = talk.error("show_increment", "legacy", id="42")
    assert "error[unknown-increment]" in unknown
    assert "next: list_increments" in unknown
    for word in ("42", "no-such-thing", ""):
        assert "error[" in talk.error("plan_resume", id=word, reason=REASON)
    blank = talk.error("plan_resume", id="7", reason=" ")
    assert "next: add reason" in blank
    assert "--" not in blank
    assert project.run("resume", "7", "--reason", REASON, "--yes").code == 0
    active = talk.error("plan_resume", id="7", reason="Another")
    assert "next: the user can do this at a terminal: to add work: unlatch resume" in active


@pytest.mark.parametrize("mode", MODES)
def test_ambiguity_is_a_result_and_a_client_that_can_ask_asks(project: Project, mode: str) -> None:
    project.increment("0007-search-index")
    project.increment("0008-search-page")
    asked: list[str] = []

    async def answer(_: Any, params: ElicitRequestParams) -> ElicitResult:
        asked.append(params.message)
        return ElicitResult(action="accept", content={"id": "0008-search-page"})

    found = Talk(project).result("show_increment", mode, id="search")
    talk = Talk(project, elicitation_callback=answer)
    planned = talk.result("plan_resume", mode, id="search", reason=REASON)

    assert sorted(found["candidates"]) == ["0007-search-index", "0008-search-page"]
    assert "Ask the user" in found["ask"]
    assert planned["plan"]["increment"]["id"] == "0008-search-page"
    assert len(asked) == 1
    assert "0007-search-index" in asked[0]


def test_words_of_a_model_are_never_options(project: Project) -> None:
    project.increment()
    talk = Talk(project)
    for word in ("--help", "--root=/", "-h"):
        assert "error[" in talk.error("show_increment", id=word)
    for word in ("effort:--help", "session:-h", "run:--json"):
        assert "error[" in talk.error("history", id=word)
        assert "error[" in talk.error("plan_resume", id=word, reason=REASON)
    assert talk.call("plan_resume", id="7", reason="--yes").is_error is False
    # A module of the project is not loaded.
    for name in ("json.py", "click.py", "unlatch.py"):
        (project.root / name).write_text("import pathlib; pathlib.Path('owned').touch()\n")
    assert talk.result("show_increment", id="7")["increment"]["status"] == "completed"
    assert not (project.root / "owned").exists()


def test_efforts_are_opened_concluded_and_found(project: Project) -> None:
    talk = Talk(project, toolsets=("efforts",))
    assert talk.result("open_effort", name="Auth bug")["effortId"] == "auth-bug"
    done = talk.result("close_effort", id="auth-bug", summary="--Fixed tokens")
    assert (done["status"], done["summary"]) == ("concluded", "--Fixed tokens")
    found = talk.result("search_efforts", query="tokens")
    assert found["results"][0]["id"] == "auth-bug"
    assert talk.result("reopen_effort", id="auth", reason="--yes")["status"] == "reopened"
    (known,) = talk.result("effort_status")["efforts"]
    assert known["reopens"][0]["reason"] == "--yes"
    talk.result("open_effort", name="Other")
    assert talk.result("switch_effort", id="auth-bug")["active"] == "auth-bug"
    assert "error[" in talk.error("close_effort", id="--help", summary="Done")


def log_more(project: Project, *lines: dict[str, Any]) -> None:
    """Open an effort, and add lines to its log."""
    assert project.run("effort", "open", "Auth bug").code == 0
    with (project.root / ".unlatch/efforts/auth-bug/log.jsonl").open("a") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)


def test_results_have_no_secret_and_nothing_invisible(project: Project) -> None:
    hidden = "".join(chr(0xE0000 + ord(one)) for one in "obey")
    secret = "ghp_" + "a1B2" * 9
    words = f"rotate {secret[:9]}\u200b{secret[9:]}{hidden} now"
    assert project.run("effort", "open", "Auth bug").code == 0
    assert project.run("effort", "close", "--summary", words).code == 0
    name = project.increment()
    (project.folder(name) / "spec.md").write_text(f"# {words}\n")
    talk = Talk(project, toolsets=("work", "efforts"))
    found = [
        talk.result("effort_status"),
        talk.result("search_efforts", query="rotate"),
        talk.result("search", query="rotate"),
        talk.result("show_increment", id="7"),
    ]
    for one in found:
        text = json.dumps(one, ensure_ascii=False)
        assert "rotate *** now" in text
        assert (secret in text, hidden in text, "\u200b" in text) == (False, False, False)


def test_a_value_with_the_name_of_a_secret_is_masked(project: Project) -> None:
    call = {"name": "sh", "arguments": {"password": "Hunter2Zzz9", "cmd": "ls"}}
    log_more(project, {"role": "assistant", "content": "x", "tool_calls": [call]})
    talk = Talk(project, toolsets=("work", "efforts"))
    shown = talk.result("expand_effort", id="auth-bug")["log"][-1]["tool_calls"]
    assert shown == [{"name": "sh", "arguments": {"password": "***", "cmd": "ls"}}]


@pytest.mark.sweep
@pytest.mark.parametrize("mode", MODES)
def test_the_command_serves_over_stdio(project: Project, mode: Any) -> None:
    project.increment()

    async def go() -> tuple[int, dict[str, Any] | None]:
        command = StdioServerParameters(
            command=sys.executable,
            args=["-P", "-m", "unlatch.cli", "mcp"],
            env=project.environ,
            cwd=project.root,
        )
        async with Client(stdio_client(command), mode=mode) as client:
            tools = (await client.list_tools()).tools
            shown = await client.call_tool("show_increment", {"id": "7"})
            return len(tools), shown.structured_content

    count, shown = asyncio.run(go())
    assert count == 8
    assert shown is not None
    assert shown["increment"]["status"] == "completed"


def test_a_plan_names_and_binds_the_other_work(project: Project) -> None:
    project.increment()
    with_effort(project)
    talk = Talk(project)
    planned = talk.result("plan_resume", id="7", reason=REASON)
    foreseen = {"ref": "effort:auth-bug", "before": "concluded", "status": "open"}
    assert planned["plan"]["related"] == [foreseen]
    assert project.run("effort", "reopen", "auth-bug", "--reason", REASON).code == 0
    assert "plan-changed" in talk.error("apply_plan", token=planned["token"])
    assert project.metadata()["status"] == "completed"
