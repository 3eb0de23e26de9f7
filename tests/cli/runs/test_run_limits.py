"""unlatch run: limits of cost, sizes of messages, and the run that is meant without an id."""

from __future__ import annotations

import json
import shlex
import shutil
import sys
from typing import TYPE_CHECKING

import pytest
from tests.cli.runs.test_run_commands import run, start, worker

if TYPE_CHECKING:
    from tests.cli.project import Done, Project


def scripted(project: Project, program: str, *more: str) -> Done:
    """Start the plan with a worker that is a line of Python."""
    (project.root / "other.py").write_text(f"import json, sys\n{program}\n")
    command = shlex.join((sys.executable, "other.py"))
    return run(project, "start", "plan.md", "--worker", command, "--yes", *more)


@pytest.mark.parametrize("limit", ["--max-cost", "--max-tokens"])
def test_a_run_at_its_limit_names_a_command_that_continues_it(planned: Project, limit: str) -> None:
    usage = "dict(type='usage', input_tokens=30_000_000, cost_usd=0.7)"
    program = f"print(json.dumps({usage})); print(json.dumps(dict(type='done')))"
    done = scripted(planned, program, limit, "1" if limit == "--max-tokens" else "0.5")
    assert done.code == 3
    assert "Session remaining" not in done.out
    words = shlex.split(done.err.strip().rpartition("Next: unlatch ")[2])
    assert limit in words
    assert planned.run(*words).code in (0, 3)
    assert run(planned, "status", "--json").document["run"]["tokens"] > 30_000_000


@pytest.mark.parametrize(
    "damage",
    [
        "[]",
        "jobs",
        *(pytest.param(one, marks=pytest.mark.sweep) for one in ("", '{"plan": "plan.md"}')),
    ],
)
def test_a_damaged_consent_is_none(planned: Project, damage: str) -> None:
    assert start(planned).code == 0
    (place,) = (planned.home / "state").rglob("consent.json")
    whole = json.loads(place.read_text())
    place.write_text(json.dumps(whole | {"jobs": "4"}) if damage == "jobs" else damage)
    done = run(planned, "resume", "--reason", "again")
    assert "run-no-consent" in done.err
    done = run(planned, "resume", "--reason", "again", "--worker", worker(), "--yes")
    assert done.code == 0, done.err


def test_a_new_run_gets_no_requests_of_a_removed_one(planned: Project) -> None:
    assert start(planned).code == 0
    (folder,) = (planned.root / ".unlatch" / "runs").glob("20*")
    shutil.rmtree(folder)
    (requests,) = (planned.home / "state").rglob(f"{folder.name}/requests")
    request = requests / "01ARZ3NDEKTSV4RRFFQ69G5FAV.json"
    request.write_text('{"kind": "stop", "reason": "not needed"}')
    assert start(planned).code == 0
    assert run(planned, "status", "--json").document["run"]["status"] == "finished"


def test_without_an_id_the_run_that_was_started_last_is_meant(planned: Project) -> None:
    assert start(planned, "--title", "zebra").code == 0
    assert start(planned, "--title", "ape").code == 0
    assert "ape" in run(planned, "status").out
    first, second = run(planned, "list", "--json").document["runs"]
    assert (first["title"], second["title"]) == ("ape", "zebra")


def test_a_question_of_megabytes_does_not_damage_the_log(planned: Project) -> None:
    question = "dict(type='question', text=chr(1) * 40_000, options=[chr(1) * 40_000] * 40)"
    done = scripted(planned, f"print(json.dumps({question}))")
    assert done.code == 5, done.err
    (question,) = run(planned, "questions", "--json").document["questions"]
    assert len(question["options"]) == 32
