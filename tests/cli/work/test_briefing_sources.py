"""What a briefing knows of runs and sessions beyond their last words."""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING

from tests.cli.work.test_briefing_content import REASON, do, effort, known, session

if TYPE_CHECKING:
    from tests.cli.project import Project

# The first attempt fails, the second one's work is rejected, and the third one is accepted.
WORKER = """
import json, pathlib
count = pathlib.Path("count")
done = int(count.read_text()) if count.exists() else 0
count.write_text(str(done + 1))
failed = {"type": "failed", "reason": "data/currencies.csv has no column minor_unit"}
print(json.dumps({"type": "done"} if done else failed))
"""
AUDITOR = """
import json, pathlib
rejected = {"type": "failed", "reason": "p99 was 900 ms, limit 250 ms"}
is_second = pathlib.Path("count").read_text() == "2"
print(json.dumps(rejected if is_second else {"type": "done"}))
"""


def test_failed_attempts_of_a_task_that_succeeded_are_known(project: Project) -> None:
    name = project.increment(status="active")
    (project.folder(name) / "tasks.md").write_text("# Tasks\n\n### T-001: Load the rates\n")
    worker, auditor = (shlex.join((sys.executable, "-c", one)) for one in (WORKER, AUDITOR))
    do(project, "run", "start", "increment:7", "--worker", worker, "--auditor", auditor, "--yes")
    assert known(project)["failed"] == [
        "T-001 Load the rates: The auditor rejected the work: p99 was 900 ms, limit 250 ms",
        "T-001 Load the rates: data/currencies.csv has no column minor_unit",
    ]
    # A newer run of the same task does not hide them.
    do(project, "run", "start", "increment:7", "--worker", worker, "--auditor", auditor, "--yes")
    assert len(known(project)["failed"]) == 2


def test_earlier_summaries_are_known(project: Project) -> None:
    project.increment()
    effort(project, [], "We decided on 429.")
    made = session(project)
    do(project, "session", "complete", made, "--summary", "We decided on Redis.\n\n## Notes\n\nx")
    for again in ("Done again.", "Done once more."):
        do(project, "effort", "reopen", "auth-bug", "--reason", REASON)
        do(project, "session", "resume", made, "--reason", REASON)
        do(project, "effort", "close", "--summary", again)
        do(project, "session", "complete", made, "--summary", f"Session: {again}")
    found = known(project)
    assert {"We decided on 429.", "We decided on Redis."} <= set(found["decisions"])
    assert "Session: Done once more." in found["done"]
    assert "Done again." in found["done"]
    shown = do(project, "history", "effort:auth-bug")
    assert shown.index("We decided on 429.") < shown.index("Done again.")
    assert "We decided on Redis." in (project.root / f".unlatch/sessions/{made}.md").read_text()
    assert do(project, "search", "429")
