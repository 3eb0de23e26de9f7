"""`claude -p` as a worker, against prepared replies of a model on loopback."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.coding_agents.model import Model, call, serving, text
from tests.coding_agents.programs import environment, installed
from tests.coding_agents.wires import INPUT, OUTPUT
from tests.unlatch_runs.dispatch.local_harness import LIMITS, LocalHarness

from unlatch.increments.files.paths import paths_at
from unlatch.project.workspace import Workspace
from unlatch_runs.consent import Consent
from unlatch_runs.coordinator.context import End as Finish
from unlatch_runs.dispatch.local import LocalDispatcher
from unlatch_runs.dispatch.outcome import NO_VERDICT, NoAnswer, outcome_of
from unlatch_runs.dispatch.port import End, Ended, Lease, Role
from unlatch_runs.dispatch.protocol import Checkpoint, Done, Failed, Usage
from unlatch_runs.journal import read_state
from unlatch_runs.plan.read_plan import read_plan
from unlatch_runs.project import Console, Runs
from unlatch_runs.testing.stage import assign, poll_until

WRITES = ("--allowedTools", "Write")
# The program takes ten seconds of CPU.
pytestmark = [pytest.mark.servers, pytest.mark.sweep]


@pytest.fixture(scope="module")
def claude() -> str:
    (program,) = installed()
    return program


@pytest.fixture
def local(tmp_path: Path) -> Iterator[LocalHarness]:
    harness = LocalHarness(tmp_path, replace(LIMITS, settle=10))
    yield harness
    harness.end()


def claim(
    local: LocalHarness, claude: str, model: Model, *options: str, role: Role = Role.DEVELOPER
) -> tuple[LocalDispatcher, Lease]:
    """Give `claude -p` a task."""
    environ = environment(local.folder.parent / "home", model)
    dispatcher = local.dispatcher(claude, "-p", *options)
    local.environ |= environ
    planned = replace(assign(local), text="Task: write it", role=role)
    return dispatcher, dispatcher.claim(planned, epoch=1)


def reports(dispatcher: LocalDispatcher, lease: Lease) -> list[Any]:
    return poll_until(dispatcher, lease.run_id, Ended)


@pytest.mark.sweep  # a run below says the same of json
@pytest.mark.parametrize("options", [("json",), ("stream-json", "--verbose")])
def test_it_works_on_a_task_and_says_so(
    local: LocalHarness, claude: str, options: tuple[str, ...]
) -> None:
    path = str(local.folder / "parser.py")
    answer = 'I wrote it.\n{"type": "done", "summary": "wrote the parser"}'
    with serving(call("Write", file_path=path, content="one = 1\n"), text(answer)) as model:
        allowed = ("--output-format", *options, "--allowedTools", "Write")
        dispatcher, lease = claim(local, claude, model, *allowed)
        usage, done, ended = reports(dispatcher, lease)
    assert Path(path).read_text() == "one = 1\n"
    assert done == Done("wrote the parser")
    assert (ended.end, ended.code, ended.noise) == (End.EXIT, 0, 0)
    assert isinstance(usage, Usage)
    assert (usage.input_tokens, usage.output_tokens) == (2 * INPUT, 2 * OUTPUT)
    assert usage.cost_usd > 0
    assert "Task: write it" in model.asked[0]
    dispatcher.complete(lease)


def test_a_run_is_carried_out_by_it(
    tmp_path: Path, claude: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    root = tmp_path / "project"
    (root / ".unlatch").mkdir(parents=True)
    criteria = f"**Acceptance Criteria**:\n- [ ] `test -f {root}/parser.py`\n"
    plan = f"### Task 1-1-1: Parse\n**Work**: Write parser.py.\n{criteria}**Blocked By**: none\n"
    consent = Consent("plan.md", (claude, "-p", "--output-format", "json", *WRITES), timeout=120.0)
    written = call("Write", file_path=str(root / "parser.py"), content="one = 1\n")
    answer = 'I wrote it.\n{"type": "done", "summary": "wrote the parser"}'
    with serving(written, text(answer)) as model:
        environ = environment(tmp_path / "home", model)
        workspace = Workspace(paths_at(root), environ=environ, user_config=root / "none.toml")
        runs = Runs(workspace, Console(print, print), lambda name, _: read_plan(plan, name))
        agreed = consent.agree(read_plan(plan, "plan.md").commands())
        folder, end = runs.start("parser", agreed, by="ann")
    assert end is Finish.FINISHED
    state = read_state(folder)
    assert state.done == 1
    assert '"wrote the parser"' in (folder / "events.jsonl").read_text()
    assert state.tokens == 2 * (INPUT + OUTPUT)
    assert "Task: 1-1-1" in model.asked[0]


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        pytest.param("It looks good to me.", NoAnswer(NO_VERDICT), marks=pytest.mark.sweep),
        pytest.param(
            'No test.\n{"type": "failed", "reason": "no test"}',
            Failed("no test"),
            marks=pytest.mark.sweep,
        ),
        pytest.param('Fine.\n{"type": "done"}', Done(), marks=pytest.mark.sweep),
    ],
)
def test_as_an_auditor_it_needs_a_verdict(
    local: LocalHarness, claude: str, answer: str, outcome: Any
) -> None:
    with serving(text(answer)) as model:
        output = ("--output-format", "json")
        dispatcher, lease = claim(local, claude, model, *output, role=Role.AUDITOR)
        _, answered, ended = reports(dispatcher, lease)
    assert outcome_of(Role.AUDITOR, answered, ended) == outcome


@pytest.mark.sweep
def test_words_on_the_way_are_checkpoints(local: LocalHarness, claude: str) -> None:
    with serving(text("Reading the parser.")) as model:
        output = ("--output-format", "stream-json", "--verbose")
        dispatcher, lease = claim(local, claude, model, *output)
        found = reports(dispatcher, lease)
    assert found[0] == Checkpoint("Reading the parser.")
    assert found[2] == Done("Reading the parser.", is_stated=False)


@pytest.mark.sweep
def test_a_refusal_of_the_model_is_a_failure_with_its_reason(
    local: LocalHarness, claude: str
) -> None:
    with serving(400, 400, 400) as model:
        dispatcher, lease = claim(local, claude, model, "--output-format", "json")
        *_, answered, ended = reports(dispatcher, lease)
    outcome = outcome_of(Role.DEVELOPER, answered, ended)
    assert isinstance(outcome, Failed)
    assert "no credit" in outcome.reason


@pytest.mark.sweep
def test_it_ends_whole_while_it_waits_for_the_model(local: LocalHarness, claude: str) -> None:
    with serving() as model:
        dispatcher, lease = claim(local, claude, model, "--output-format", "json")
        assert model.waits.wait(60)
        assert [one.is_alive for one in dispatcher.leases()] == [True]
        assert local.dispatcher().recover(2).ended == (lease,)
        assert dispatcher.leases() == []
        assert isinstance(poll_until(dispatcher, lease.run_id, Ended)[-1], Ended)
