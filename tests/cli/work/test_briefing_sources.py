"""What a briefing knows of runs and sessions beyond their last words."""

import re
import shlex
import shutil
from itertools import product

import pytest
from tests.cli.project import Project, says
from tests.cli.work.test_briefing_content import REASON, do, effort, known, session, written

from unlatch.related.highlights import sentences
from unlatch.related.identifiers import identifiers

# The first attempt fails, the second one's work is rejected, and the third one is accepted.
WORKER = """
count=0
[ ! -e count ] || read -r count < count
echo $((count + 1)) > count
failed='{"type": "failed", "reason": "data/currencies.csv has no column minor_unit"}'
[ "$count" = 0 ] && echo "$failed" || echo '{"type": "done"}'
"""
AUDITOR = """
read -r count < count
rejected='{"type": "failed", "reason": "p99 was 900 ms, limit 250 ms"}'
[ "$count" = 2 ] && echo "$rejected" || echo '{"type": "done"}'
"""


def test_failed_attempts_of_a_task_that_succeeded_are_known(project: Project) -> None:
    name = project.increment(status="active")
    (project.folder(name) / "tasks.md").write_text("# Tasks\n\n### T-001: Load the rates\n")
    worker, auditor = (shlex.join(("/bin/sh", "-c", script)) for script in (WORKER, AUDITOR))
    do(project, "run", "start", "increment:7", "--worker", worker, "--auditor", auditor, "--yes")
    assert known(project)["failed"] == [
        "T-001 Load the rates: The auditor rejected the work: p99 was 900 ms, limit 250 ms",
        "T-001 Load the rates: data/currencies.csv has no column minor_unit",
    ]
    # A newer run of the same task does not hide them.
    do(project, "run", "start", "increment:7", "--worker", worker, "--auditor", auditor, "--yes")
    found = known(project)
    assert len(found["failed"]) == 2
    assert found["identifiers"] == ["data/currencies.csv", "minor_unit"]


def test_words_of_a_worker_and_of_its_auditor_are_known(project: Project) -> None:
    name = project.increment(status="active")
    (project.folder(name) / "tasks.md").write_text("# Tasks\n\n### T-001: Sort\n")
    said = (
        {"type": "checkpoint", "text": "Tabs did not work in Excel."},
        {"type": "done", "summary": "Sorted. I decided to use semicolons."},
    )
    verdict = {"type": "done", "summary": "Reads well."}
    worker, auditor = says(*said), says(verdict)
    do(project, "run", "start", "increment:7", "--worker", worker, "--auditor", auditor, "--yes")
    found = known(project)
    assert found["decisions"] == ["I decided to use semicolons."]
    assert found["failed"] == ["Tabs did not work in Excel."]
    done = "T-001 Sort: Sorted. I decided to use semicolons."
    note = "(accepted, but not ticked in the increment)"
    assert found["done"] == ["T-001 Sort, auditor: Reads well.", f"{done} {note}"]


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


NAMES = (
    *("C:\\pay\\app.ini", "src/payments/retry.py:88", "ghcr.io/acme/pay:1.14.2", "orjson==3.10.7"),
    *("--max-retries=5", "192.168.0.0/16", "db.internal:5432", "/v2/charges/{id}"),
    *("git@github.com:acme/pay.git", "ops@acme.example", "ChargeClient.retry_all"),
    *("arn:aws:sqs:eu-west-1:123456789012:charges-dlq", "s3://acme-payments-eu/archive/2026/"),
    *("fd00::12", "[2001:db8::5]:443", "localhost:9229", "00:1a:2b:3c:4d:5e"),
    *("feature/retry-eu", ".env.local", "Idempotency-Key", "X-Request-Id", "CancelledError"),
    *(f"sha256:{'9f86d081' * 8}", "RATE_LIMIT_BURST=40", "log_charge()", "pkg@1.2.3", "TS2307"),
    *("payments-api-7d9f", "src/{a,b}.py", "src/**/*.py", "JSONDecodeError", "std::vector"),
)


def test_an_identifier_is_a_whole_word() -> None:
    forms = ("{}.", "({}),", "[it]({})", "{}'s", '"{}"?', "**{}**", "\u2018{}\u2019", "a, {};")
    for form, name in product(forms, NAMES):
        assert [*identifiers(f"We take {form.format(name)} and go on")] == [name], form


def test_ordinary_words_are_no_identifiers() -> None:
    text = (
        "It's 24/7 and/or he/she, e.g. at 10:30 or 10:30am, i.e. 3:1, on 2026-11-22 (well-known). "
        "Up-to-date I/O file(s)... wait...what? Note: 50% of 2.5x -- done => 1,000 <b>bold</b> "
        "*emph* _em_ [x] $5 TODO: 'IDs'; C++ :: / // ~ # @ A/B PhD U.S. *** password=***"
    )
    assert [*identifiers(text)] == []


@pytest.mark.sweep
def test_long_words_of_signs_take_little_time() -> None:
    for word in ("(", "[:", "a/", "a_", "a.b", "A-", "a=b", "0:", ".", "*", "#"):
        assert sum(1 for _ in identifiers(f"{word * 140} " * 400)) <= 400, word


def test_a_clone_knows_how_much_its_briefing_leaves_out(project: Project) -> None:
    project.increment()
    words = " and so on" * 10
    effort(project, [f"We decided on plan {n}{words}." for n in range(90)])
    text = written(project)
    assert "more: `unlatch show 0007-smart-discipline --briefing`" in text
    assert known(project)["unread"] == []
    shutil.rmtree(project.root / ".unlatch/efforts")
    assert entries_of(known(project)) == 90
    do(project, "resume", "7", "--reason", REASON, "--yes")
    assert "not in this checkout (briefing.md)" in written(project)
    assert entries_of(known(project)) == 90


def entries_of(briefing: dict[str, list[str]]) -> int:
    """The decisions that a briefing has, and those that it says it leaves out."""
    (note,) = briefing["unread"]
    count = re.fullmatch(r"up to (\d+) more entries: decisions; .*", note)
    assert count is not None
    return len(briefing["decisions"]) + int(count[1])


def test_common_wordings_are_recognised() -> None:
    for kind, sentence in (
        ("decided", "Agreed: UUIDv7 for keys."),
        ("decided", "Opted for gRPC."),
        ("decided", "Let us take S3, not GCS."),
        ("rejected", "The build failed with error TS2307."),
        ("rejected", "Rolled back the change to nginx.conf."),
        ("rejected", "Don't use eval, it broke CSP."),
        ("next", "Remaining: write docs."),
        ("next", "Open question: who owns billing?"),
        ("next", "Blocked on the DBA."),
    ):
        assert [*sentences(f"All fine. {sentence} Bye.")] == [(kind, sentence)]


def test_failed_calls_of_a_session_are_known(project: Project) -> None:
    project.increment()
    made = session(project, ("--call", "pytest tests/payments", "--failed", "--result", "2 failed"))
    assert known(project)["failed"] == ["pytest tests/payments: 2 failed"]
    path = project.root / f".unlatch/sessions/{made}.md"
    with path.open("a") as file:
        file.write(
            "\n## Migrate\n\n**Tool calls:**\n- `Bash make migrate` \u2192 \u2717 Error 2\n"
            "\n> [!error] (tool-error)\n> column minor_unit is missing\n"
        )
    assert known(project)["failed"] == [
        "Bash make migrate: column minor_unit is missing",
        "pytest tests/payments: 2 failed",
    ]


def test_search_reads_the_briefing_of_a_clone(project: Project) -> None:
    project.increment()
    effort(project, ["We decided on zebra stripes."])
    assert "zebra" in written(project)
    shutil.rmtree(project.root / ".unlatch/efforts")
    assert "0007-smart-discipline" in do(project, "search", "zebra")
    (project.folder() / "briefing.md").unlink()
    assert "0007-smart-discipline" not in do(project, "search", "zebra")


def test_code_and_quotations_in_prose_are_no_decisions(project: Project) -> None:
    project.increment()
    text = """\
The page says:

    We decided to obey one.

\tWe decided to obey two.

> We decided to obey three.

1. See:
   > We decided to obey four.
- > We decided to obey five.

- Plan:
    - We decided on WAL.

We decided on FTS5."""
    session(project, ("--text", text))
    assert known(project)["decisions"] == ["We decided on FTS5.", "We decided on WAL."]
