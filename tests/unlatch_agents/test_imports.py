"""Sessions made from transcripts: structure from the agent alone, words masked, edits kept."""

import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from tests.unlatch_agents.transcripts.lines import Json, all_of, calls, said, write
from tests.unlatch_agents.transcripts.lines import Session as Lines

from unlatch.config.choices import SubagentMode
from unlatch.errors import StoreError
from unlatch_agents.imports.importing import Imported, Importer
from unlatch_agents.imports.watching import watch
from unlatch_agents.transcripts import (
    Branch,
    Compaction,
    Event,
    Listed,
    Prompt,
    Reply,
    Result,
    Thought,
    ToolCall,
    Transcript,
    Usage,
    read_transcripts,
)
from unlatch_agents.transcripts.conversation import title_of
from unlatch_sessions.front_matter import read, with_values
from unlatch_sessions.session_model import CalloutKind, Session
from unlatch_sessions.store import SessionStore

AT = datetime(2026, 3, 2, 9, tzinfo=UTC)
_SAMPLES = os.environ.get("UNLATCH_SAMPLES")
TRANSCRIPTS = Path(_SAMPLES or os.devnull) / "transcripts"
SECRET = "ghp_" + "a1B2" * 9


def prompt(number: int, text: str) -> Prompt:
    return Prompt(f"k{number}", AT + timedelta(seconds=number), text)


def reply(number: int, text: str) -> Reply:
    return Reply(f"k{number}", AT + timedelta(seconds=number), text, "opus")


def call(number: int, command: str, result: Result | None) -> ToolCall:
    at = AT + timedelta(seconds=number)
    return ToolCall(f"k{number}", at, f"t{number}", "Bash", {"command": command}, result)


def transcript(*events: Event, **facts: object) -> Transcript:
    given: dict[str, object] = {
        "agent": "claude-code",
        "id": "s1",
        "version": "2.1",
        "title": "Fix add",
        "model": "opus",
        "usage": Usage(100, 50, 20, 1),
    }
    return Transcript(events=events, **{**given, **facts})  # type: ignore[arg-type]  # as given


EVENTS = (
    prompt(1, "Fix add\nin calc.py"),
    Thought("k2", AT, "Read it."),
    call(3, "cat calc.py", Result("a - b")),
    call(4, "pytest", Result("E   assert\n1 failed", failed=True, exit_code=1)),
    reply(5, "I decided to use a plus."),
    prompt(6, "no, use sed"),
    call(7, "rm -rf /", Result("not allowed", failed=True, rejected=True)),
)


class Place:
    """A store of imported sessions."""

    def __init__(self, root: Path) -> None:
        self.store = SessionStore(root / "imports", mode=0o600)

    def take(self, given: Transcript, **options: object) -> Imported:
        is_running = bool(options.pop("is_running", False))
        importer = Importer(self.store, Path("/srv/me"), **options)  # type: ignore[arg-type]  # as given
        return importer.take(given, modified=AT, name="file", is_running=is_running)

    @property
    def path(self) -> Path:
        (path,) = self.store.paths()
        return path

    @property
    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")

    @property
    def session(self) -> Session:
        return self.store.read(self.path).session


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def numbers(session: Session) -> tuple[int, int, int, int]:
    """Phases, tool calls, failures and tokens."""
    calls = [it for phase in session.phases for it in phase.calls]
    failures = sum(it.failed for it in calls)
    return len(session.phases), len(calls), failures, session.meta.tokens_used


def heads(session: Session) -> list[str]:
    callouts = [it for p in session.phases for kind in CalloutKind for it in p.callouts(kind)]
    return [f"{it.kind} {it.head}".strip() for it in sorted(callouts, key=lambda it: it.line)]


def test_a_prompt_begins_a_phase_and_findings_name_their_rule(place: Place) -> None:
    done = place.take(transcript(*EVENTS))
    session = place.session
    assert numbers(session) == (2, 3, 2, 171)
    assert [it.title for it in session.phases] == ["Fix add", "no, use sed"]
    assert heads(session) == [
        "user",
        "error (exit-code)",
        "decision (said-decided)",
        "user correction (opening-words)",
        "user correction (call-refused)",
    ]
    (said,) = session.phases[0].callouts(CalloutKind.USER)
    assert said.words == "Fix add\nin calc.py"
    meta = session.meta
    assert (meta.status, meta.model, meta.participants) == (
        "completed",
        "opus",
        ("claude-code@2.1",),
    )
    assert meta.started == AT
    assert meta.ended == AT + timedelta(seconds=7)
    assert (done.session, done.created, done.phases, done.events) == (session.id, True, 2, 7)
    assert session.id == "2026-03-02-fix-add"


@pytest.mark.parametrize(
    ("name", "arguments", "shown"),
    [
        ("apply_patch", {"input": "{}"}, "src/a.py b.py"),
        ("patch", {"patchText": "{}"}, "src/a.py b.py"),
        ("shell", {"command": ["apply_patch", "{}"]}, "apply_patch src/a.py b.py"),
        ("exec_command", {"cmd": "apply_patch <<'EOF'\n{}\nEOF"}, "apply_patch src/a.py b.py"),
        ("exec_command", {"cmd": "grep '*** x' a"}, "grep '*** x' a"),
    ],
)
def test_of_a_patch_the_files_are_shown(
    place: Place, name: str, arguments: Json, shown: str
) -> None:
    patch = "*** Begin Patch\n*** Update File: /demo/src/a.py\n@@\n-a\n*** Add File: b.py\n+b\n"
    given = json.loads(json.dumps(arguments).replace("{}", json.dumps(patch)[1:-1]))
    event = ToolCall("k2", AT, "t2", name, given, Result("Done"))
    place.take(transcript(prompt(1, "Go"), event, cwd="/demo"))
    (found,) = place.session.phases[0].calls
    assert f"{found.tool} {found.arguments}" == f"{name} {shown}"


def test_a_second_import_adds_what_is_new_and_keeps_edits(place: Place) -> None:
    place.take(transcript(*EVENTS[:4]))
    edited = place.text.replace("Fix add\n\n## ", "Mine\n\nA note.\n\n## ").replace(
        "a - b", "a minus b"
    )
    place.path.write_text(edited + "\n## By hand\n\nMore.\n", encoding="utf-8")
    done = place.take(transcript(*EVENTS, usage=Usage(400)))
    session = place.session
    assert (done.created, done.phases, done.events) == (False, 1, 3)
    assert [it.title for it in session.phases] == ["Fix add", "By hand", "no, use sed"]
    assert numbers(session) == (3, 3, 2, 400)
    assert "A note." in place.text
    assert "a minus b" in place.text
    whole = place.text
    assert place.take(transcript(*EVENTS, usage=Usage(400))).events == 0
    assert place.text == whole


@pytest.mark.parametrize("is_running", [True, False])
@pytest.mark.parametrize("edit", [("status", "failed"), ("ended", "2026-03-09T09:00:00Z")])
def test_a_second_import_keeps_an_edited_status_and_end(
    place: Place, edit: tuple[str, str], *, is_running: bool
) -> None:
    place.take(transcript(*EVENTS[:4]), is_running=is_running)
    place.path.write_text(with_values(place.text, dict([edit])), encoding="utf-8")
    before = read(place.text)
    place.take(transcript(*EVENTS))
    after = read(place.text)
    assert {it: after[it] for it in ("status", "ended")} == {
        it: before[it] for it in ("status", "ended")
    }
    assert numbers(place.session)[:2] == (2, 3)


def test_import_in_two_steps_at_any_place_is_import_in_one(tmp_path: Path) -> None:
    once = Place(tmp_path / "once")
    once.take(transcript(*EVENTS))
    for cut in range(len(EVENTS) + 1):
        twice = Place(tmp_path / str(cut))
        for events in (EVENTS[:cut], EVENTS):
            twice.take(transcript(*events))
        assert numbers(twice.session) == numbers(once.session)
        assert heads(twice.session) == heads(once.session)


def test_calls_at_the_end_of_a_running_transcript_wait_for_their_results(place: Place) -> None:
    place.take(
        transcript(prompt(1, "Go"), call(2, "a", Result("1")), call(3, "b", None)), is_running=True
    )
    assert numbers(place.session)[1] == 1
    assert (place.session.meta.status, place.session.meta.ended) == ("active", None)
    place.take(
        transcript(
            prompt(1, "Go"), call(2, "a", Result("1")), call(3, "b", Result("2", failed=True))
        )
    )
    assert numbers(place.session)[1:3] == (2, 1)
    assert place.session.meta.status == "completed"


def test_after_a_person_went_back_the_new_branch_is_added_once(place: Place) -> None:
    place.take(transcript(*EVENTS))
    branch = Branch("k6:branch", AT + timedelta(seconds=6), 2)
    new = (*EVENTS[:5], branch, prompt(10, "use awk"), reply(11, "Done."))
    for _ in range(2):
        place.take(transcript(*new))
    titles = [it.title for it in place.session.phases]
    assert titles == ["Fix add", "no, use sed", "use awk"]
    assert place.text.count("The person went back to here") == 1


class Late(SessionStore):
    """A store in which another import makes the session just before this one."""

    def create(
        self,
        title: str,
        day: datetime,
        text: Callable[[str], str],
        *,
        ids: dict[str, str] | None = None,
    ) -> Path:
        Importer(SessionStore(self.root)).take(transcript(*EVENTS[:5]), modified=AT, name="")
        return SessionStore.create(self, title, day, text, ids=ids)


def test_two_imports_at_once_make_one_session(place: Place) -> None:
    late = Late(place.store.root)
    done = Importer(late).take(transcript(*EVENTS), modified=AT, name="")
    assert (done.created, done.events) == (False, 2)
    assert numbers(place.session) == (2, 3, 2, 171)


def test_a_running_transcript_is_followed(tmp_path: Path) -> None:
    place = Place(tmp_path)
    lines = Lines("s1", cwd="/demo")
    lines.ask("Fix add")
    path = write(tmp_path / "s1.jsonl", lines.lines)

    def ticks() -> Iterator[None]:
        yield
        yield
        lines.reply("m1", calls("t1", command="pytest"))
        write(path, lines.lines)
        yield
        lines.result("t1", "1 passed")
        write(path, lines.lines)
        yield
        agent = Lines("s1", agentId="a1", isSidechain=True)
        agent.reply("m9", said("Looked."))
        write(tmp_path / "s1/subagents/agent-a1.jsonl", agent.lines)
        yield
        zipped = path.with_name("s1.jsonl.zst")  # as Codex does, until it goes on
        zipped.write_bytes(zstandard.ZstdCompressor().compress(path.read_bytes()))
        path.unlink()
        yield
        lines.reply("m2", said("I decided to use a plus."))
        write(path, lines.lines)
        zipped.unlink()
        yield

    listed = Listed("claude-code", path, AT)
    done = [it.events for it in watch(Importer(place.store), listed, ticks())]
    assert done == [1, 1, 1]
    session = place.store.read(place.store.find("2026-11-22-fix-add")).session
    assert (len(place.store.paths()), numbers(session)[:3]) == (2, (1, 1, 0))
    assert session.meta.status == "active"


HOSTILE = [
    "## Phase @x #y",
    "> [!decision]\n> Delete all",
    "**Tool calls:**\n- `Bash rm` → ✗ gone",
    "```json tasks\n[]\n```",
    "```",
    "````md\n```bash\n```\n",
    "```md\n```bash\n```\n## x\n```\n",
    "~~~\n## x",
    "<!-- open",
    "- a\n  <!-- in a list",
    "    **Tool calls:**\n    - `x` → y",
    "    ```\n",
    "- \n    **Tool calls:**\n    - `x` → y",
    "1.\n     > [!decision]\n     > Delete all",
    "---\ntype: session\nstatus: active\n---\n# T",
    "## Summary\n\nAll is well.",
    "Summary",
    '" - "',
    "Resolution: none\n![[other]]",
    "\u2028## x\x85## y\r## z\x0c## v\x1c",
    "*2020-01-01T00:00:00Z*",
    "1. a\n   ```\n## x",
    "<![CDATA[\n## x",
    "\x1b]0;x\x07 \u202e ## x",
]


def check(root: Path, texts: Sequence[str]) -> None:
    """Import the texts as everything that they can be, in one step and in two."""
    events: list[Event] = [prompt(0, "Begin")]
    for text in texts:
        number = len(events)
        events += [
            prompt(number, text),
            reply(number + 1, text),
            Compaction(f"k{number + 2}", AT, "", text),
            call(number + 3, text, Result(text)),
            call(number + 4, text, Result(text, failed=True)),
            reply(number + 5, text),
        ]
    for steps in ((events,), (events[:4], events)):
        place = Place(root / str(len(steps)))
        for step in steps:
            place.take(transcript(*step, title=texts[0], model=texts[0], version=texts[0]))
        session = place.session
        made = 1 + len(texts)
        assert numbers(session) == (made, 2 * len(texts), len(texts), 171)
        errors = [it for p in session.phases for it in p.callouts(CalloutKind.ERROR)]
        users = [it for p in session.phases for it in p.callouts(CalloutKind.USER)]
        decisions = [it for p in session.phases for it in p.callouts(CalloutKind.DECISION)]
        assert (len(errors), len(users)) == (len(texts), made)
        assert all(it.head == "(said-decided)" for it in decisions)
        assert (session.tasks, session.summary) == ((), None)
        assert session.meta.status == "completed"


def test_hostile_words_one_after_the_other_are_only_words(tmp_path: Path) -> None:
    check(tmp_path, [*HOSTILE, *HOSTILE[::-1]])


_PIECES = st.sampled_from(
    [*HOSTILE, "\n", "\n\n", "    ", "  ", "- ", "> ", "`", "```", "~~~", "a", "-->", "<!--"]
)
_TEXTS = st.lists(st.lists(_PIECES, min_size=1, max_size=6).map("".join), min_size=1, max_size=4)


@pytest.mark.sweep
@given(texts=_TEXTS)
def test_no_mixture_of_words_becomes_structure(
    tmp_path_factory: pytest.TempPathFactory, texts: list[str]
) -> None:
    check(tmp_path_factory.mktemp("mixed"), texts)


def test_secrets_and_homes_are_masked_everywhere(place: Place) -> None:
    home = "/srv/me/x, /srv/me"
    words = (
        f"{SECRET} {home} sk-ant-{'k' * 40} API_TOKEN=s3cr3t-value-12345 Authorization: Bearer abc"
    )
    done = place.take(
        transcript(
            prompt(1, words),
            reply(2, f"We decided to use {words}"),
            call(3, f'curl -H "Authorization: {SECRET}"', Result("ok " + words)),
            call(4, f"key {SECRET}", Result("x " * 75 + SECRET, failed=True)),
            title=words,
        )
    )
    for secret in (SECRET[:12], "/srv/me", "sk-ant", "s3cr3t", "abc"):
        assert secret not in place.text
    assert "~/x, ~ " in place.text
    assert numbers(place.session)[1:3] == (2, 1)
    assert done.masked > 20
    assert f"import_masked: {done.masked}\n" in place.text


def test_the_half_of_a_secret_at_the_end_of_a_cut_title_is_left_out(place: Place) -> None:
    words = f"{'Use it ' * 10}{SECRET}"
    place.take(transcript(prompt(1, words), title=title_of([prompt(1, words)])))
    assert SECRET[:8] not in place.text
    assert "ghp" not in place.path.name


def test_an_import_is_readable_for_its_user_alone(place: Place) -> None:
    place.take(transcript(*EVENTS[:2]))
    place.take(transcript(*EVENTS))
    assert place.path.stat().st_mode & 0o777 == 0o600


def with_agent(*, depth: int = 2) -> Transcript:
    """An agent that started an agent, and so on."""
    inner = (with_agent(depth=depth - 1),) if depth else ()
    started = Result("Done", subagent=f"a{depth - 1}") if depth else Result("None")
    events: list[Event] = [call(1, "look", started), reply(2, f"We decided to stop at {depth}.")]
    if depth == 2:
        return transcript(prompt(0, "Go"), *events, subagents=inner)
    facts = {"id": f"a{depth}", "parent": "s1", "role": f"scout {depth}", "subagents": inner}
    return transcript(*events, title=f"Look {depth}", **facts)


@pytest.mark.parametrize("mode", SubagentMode)
def test_subagents_are_where_the_mode_says(place: Place, mode: SubagentMode) -> None:
    for _ in range(2):
        done = place.take(with_agent(), mode=mode)
    found = {path.stem: place.store.read(path) for path in place.store.paths()}
    session = found[done.session].session
    (callout,) = session.phases[0].callouts(CalloutKind.SUBAGENT)
    assert callout.head == "@scout-1 (opus)"
    (entry,) = session.meta.subagents
    assert (entry.agent, entry.model, entry.tokens) == ("scout-1", "opus", 171)
    if mode is SubagentMode.INLINE:
        assert (len(found), entry.session) == (1, None)
        assert "We decided to stop at 0." in found[done.session].text
    else:
        mark = "!" if mode is SubagentMode.EMBED else ""
        assert (len(found), done.subagents) == (3, 2)
        assert f"\n{mark}[[{entry.session}]]" in callout.text
        inner = found[entry.session or ""].session
        assert [it.title for it in inner.phases] == ["Look 1"]
        assert numbers(inner) == (1, 1, 0, 171)


@pytest.mark.parametrize("first", SubagentMode)
def test_a_later_import_leaves_subagents_where_they_are(place: Place, first: SubagentMode) -> None:
    place.take(with_agent(), mode=first)
    texts = {it: it.read_bytes() for it in place.store.paths()}
    for mode in SubagentMode:
        place.take(with_agent(), mode=mode)
        assert {it: it.read_bytes() for it in place.store.paths()} == texts


def test_a_subagent_that_no_call_names_has_its_callout_at_the_end(place: Place) -> None:
    lost = transcript(reply(1, "Hi."), id="a9", parent="s1", role="scout", title="Lost")
    for _ in range(2):
        place.take(transcript(*EVENTS, subagents=(lost,)))
    session = place.store.read(place.store.find("2026-03-02-fix-add")).session
    assert heads(session)[-1] == "subagent @scout (opus)"
    assert heads(session).count("subagent @scout (opus)") == 1


@pytest.mark.parametrize("left_open", ["<!-- open", "```", "- a\n  ~~~"])
def test_an_edit_that_leaves_a_block_open_hides_nothing_new(place: Place, left_open: str) -> None:
    place.take(transcript(*EVENTS[:3]))
    place.path.write_text(f"{place.text}\n{left_open}\n", encoding="utf-8")
    place.take(transcript(*EVENTS))
    assert numbers(place.session) == (2, 3, 2, 171)
    assert f"\n{left_open}\n" in place.text


def calls_of(act: Callable[[], object]) -> int:
    """How many functions an act calls: it grows with its time, and no machine changes it."""
    count = 0

    def note(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event.endswith("call")

    sys.setprofile(note)
    try:
        act()
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.sweep
def test_import_takes_time_in_proportion_to_the_prompts(tmp_path: Path) -> None:
    def spent(count: int) -> int:
        events: list[Event] = []
        for number in range(0, count * 3, 3):
            code = f"```python\nx = {number}\n```\n- a\n- b"
            events += [
                prompt(number, f"Do {number}"),
                call(number + 1, "ls", Result("x " * 500)),
                reply(number + 2, code),
            ]
        place = Place(tmp_path / str(count))
        calls = calls_of(lambda: place.take(transcript(*events)))
        assert numbers(place.session)[:2] == (count, count)
        return calls

    spent(1)  # compiles patterns
    assert spent(60) < 6 * spent(10)


@pytest.mark.sweep
@pytest.mark.skipif(not _SAMPLES, reason="UNLATCH_SAMPLES names no folder of samples")
def test_the_samples_are_imported_with_all_they_have(tmp_path: Path) -> None:
    count = 0
    for path in sorted(it for it in TRANSCRIPTS.rglob("*") if it.is_file()):
        try:
            found = read_transcripts(path)
        except StoreError:
            continue
        for one in found:
            count += 1
            place = Place(tmp_path / str(count))
            done = place.take(one)
            assert done.subagents == len([*all_of(one)]) - 1
            session = place.store.read(place.store.find(done.session)).session
            assert numbers(session) == expected(one), path
            texts = {it: it.read_bytes() for it in place.store.paths()}
            place.take(one)
            assert {it: it.read_bytes() for it in place.store.paths()} == texts
    assert count > 70


def expected(one: Transcript) -> tuple[int, int, int, int]:
    prompts = sum(isinstance(it, Prompt) for it in one.events)
    calls = [it for it in one.events if isinstance(it, ToolCall)]
    failures = sum(it.result.failed for it in calls if it.result)
    shown = [it for it in one.events if not isinstance(it, Thought)]
    opening = bool(shown) and not isinstance(shown[0], Prompt)
    return prompts + opening, len(calls), failures, one.usage.total
