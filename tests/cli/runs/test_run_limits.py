"""unlatch run: limits of cost, sizes of messages, and the run that is meant without an id."""

import json
import shlex
import shutil
from typing import Any

import pytest
from tests.cli.project import Done, Project
from tests.cli.runs.test_run_commands import run, start, worker


def answered(project: Project, *answers: dict[str, Any], more: tuple[str, ...] = ()) -> Done:
    """Start the plan with a worker that gives these answers."""
    lines = "".join(f"{json.dumps(answer)}\n" for answer in answers)
    (project.root / "answers").write_text(lines)
    command = "/bin/sh -c 'exec /bin/cat answers'"
    return run(project, "start", "plan.md", "--worker", command, "--yes", *more)


@pytest.mark.parametrize(
    "limit", ["--max-cost", pytest.param("--max-tokens", marks=pytest.mark.sweep)]
)
def test_a_run_at_its_limit_names_a_command_that_continues_it(planned: Project, limit: str) -> None:
    usage = {"type": "usage", "input_tokens": 30_000_000, "cost_usd": 0.7}
    most = (limit, "1" if limit == "--max-tokens" else "0.5")
    done = answered(planned, usage, {"type": "done"}, more=most).ends(
        3, not_out="Session remaining"
    )
    words = shlex.split(done.err.strip().rpartition("Next: unlatch ")[2])
    assert limit in words
    assert planned.run(*words).code in (0, 3)
    assert run(planned, "status", "--json").document["run"]["tokens"] > 30_000_000


def test_a_damaged_consent_is_none(planned: Project) -> None:
    assert start(planned).code == 0
    (place,) = (planned.home / "state").rglob("consent.json")
    text = json.dumps(json.loads(place.read_text()) | {"jobs": "4"})
    for damaged in ("[]", text, "", '{"plan": "plan.md"}'):
        place.write_text(damaged)
        assert "run-no-consent" in run(planned, "resume", "--reason", "again").err, damaged
    done = run(planned, "resume", "--reason", "again", "--worker", worker(), "--yes")
    assert done.code == 0, done.err


@pytest.mark.sweep
def test_a_new_run_gets_no_requests_of_a_removed_one_and_is_the_one_that_is_meant(
    planned: Project,
) -> None:
    assert start(planned, "--title", "zebra").code == 0
    (folder,) = (planned.root / ".unlatch" / "runs").glob("20*")
    (requests,) = (planned.home / "state").rglob(f"{folder.name}/requests")
    shutil.move(folder, planned.home)
    request = requests / "01ARZ3NDEKTSV4RRFFQ69G5FAV.json"
    request.write_text('{"kind": "stop", "reason": "not needed"}')
    assert start(planned, "--title", "ape").code == 0
    assert run(planned, "status", "--json").document["run"]["status"] == "finished"
    shutil.move(planned.home / folder.name, folder.with_name(f"{folder.name}-2"))
    assert "ape" in run(planned, "status").out
    first, second = run(planned, "list", "--json").document["runs"]
    assert (first["title"], second["title"]) == ("ape", "zebra")


def test_a_question_of_megabytes_does_not_damage_the_log(planned: Project) -> None:
    text = chr(1) * 40_000
    answered(planned, {"type": "question", "text": text, "options": [text] * 40}).ends(5)
    (question,) = run(planned, "questions", "--json").document["questions"]
    assert len(question["options"]) == 32
