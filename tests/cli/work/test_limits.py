"""Limits on active work, and the project's rules for reopening."""

import json
import subprocess
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest
from tests.cli.project import NAME, REASON, Project
from tests.cli.terminal import Terminal
from tests.warm.client import unlatch

RESUME = ("resume", "7", "--reason", REASON, "--yes")


def limit(project: Project, *lines: str, table: str = "limits") -> None:
    project.configure_more(tables="\n".join((f"[{table}]", *lines)))


def problem(project: Project, *arguments: str) -> tuple[int, str]:
    """The exit code and the error of a command that must change nothing."""
    before = project.tree()
    done = project.run(*arguments, "--json")
    assert before == project.tree()
    return done.code, done.document["error"]["id"]


def warned(project: Project, *arguments: str) -> list[str]:
    done = project.run(*arguments, "--json").ends(0)
    return [warning["id"] for warning in done.document["warnings"]]


@pytest.fixture
def busy(project: Project) -> Project:
    """Two active features, a paused one, an archived active one, and 0007, completed."""
    project.increment("0001-one", status="active")
    project.increment("0002-two", status="in-progress")
    project.increment("0003-paused", status="paused")
    project.increment("0004-old", status="active", archived=True)
    project.increment("0005-planned", status="planning")
    project.increment()
    return project


@pytest.mark.sample(count=1)
@pytest.mark.parametrize("arguments", [RESUME, ("start", "5"), ("resume", "3")])
def test_beyond_a_limit_it_is_refused_by_policy_and_warned_by_default(
    busy: Project, arguments: Sequence[str]
) -> None:
    limit(busy, "max_active = 2", 'policy = "refuse"')
    assert problem(busy, *arguments) == (1, "wip-limit")
    limit(busy, "max_active = 2")
    assert warned(busy, *arguments) == ["wip-limit"]


def test_a_refusal_names_what_is_active_and_what_to_do(busy: Project) -> None:
    limit(busy, "max_active = 2", 'policy = "refuse"')
    busy.run("start", "5").shows(
        whole_err="error[wip-limit]: limits.max_active is 2, and 2 increments are already active: "
        "0001-one, 0002-two\n"
        "  at: 0005-planned\n"
        "  next: to make room: unlatch pause 0001-one; or --force, which is recorded\n"
    )


@pytest.mark.parametrize("kind", ["hotfix", "bug", "Hotfix"])
def test_what_may_interrupt_is_held_up_by_the_cap_alone(busy: Project, kind: str) -> None:
    busy.increment("0006-fire", status="planning", type=kind)
    busy.increment("0008-smoke", status="planning", type=kind)
    limit(busy, "max_active = 1", "hard_cap = 3", 'policy = "warn"')
    assert warned(busy, "start", "6") == []
    # The cap refuses whatever the policy is.
    assert problem(busy, "start", "8") == (1, "wip-limit")


def test_specweaves_limits_count_where_ours_say_nothing(busy: Project) -> None:
    (busy.root / ".specweave").mkdir()
    theirs = {
        "maxActiveIncrements": 1,
        "hardCap": 2,
        "typeBehaviors": {"canInterrupt": ["docs"]},
        "staleness": {"paused": 2, "active": 90},
    }
    (busy.root / ".specweave/config.json").write_text(json.dumps({"limits": theirs}))

    assert problem(busy, *RESUME) == (1, "wip-limit")
    limits = busy.run("status", "--json").document["limits"]
    assert (limits["maxActive"], limits["hardCap"]) == (1, 2)
    limit(busy, "hard_cap = 9")
    assert warned(busy, *RESUME) == ["wip-limit"]


def test_work_in_review_counts_for_specweaves_limits_alone(project: Project) -> None:
    project.increment("0005-reviewed", status="ready_for_review")
    project.increment("0006-first", status="planning")
    project.increment("0007-second", status="planning")
    (project.root / ".specweave").mkdir()
    theirs = json.dumps({"limits": {"maxActiveIncrements": 1}})
    (project.root / ".specweave/config.json").write_text(theirs)

    done = project.run("start", "6", "--json")

    (warning,) = done.document["warnings"]
    assert "1 increment is already active or in review: 0005-reviewed" in warning["message"]
    found = [one["id"] for one in project.run("doctor", "--json").document["findings"]]
    assert 1 == found.count("wip-exceeded")
    limit(project, "max_active = 2")
    assert warned(project, "start", "7") == []


def test_force_goes_on_and_is_recorded(busy: Project) -> None:
    limit(busy, "hard_cap = 2")
    assert warned(busy, *RESUME, "--force", "--by", "Dana") == ["wip-limit"]
    assert warned(busy, "start", "5", "--force", "--by", "Dana") == ["wip-limit"]
    assert busy.metadata()["reopenHistory"][0]["forced"] == ["wip-limit"]
    for name, kind in ((NAME, "reopened"), ("0005-planned", "transitioned")):
        (event,) = busy.events(name)
        told = (event["event"], event["by"], event["forced"])
        assert told == (kind, "Dana", ["wip-limit"])


@pytest.mark.sweep
def test_of_many_at_once_no_more_come_through_than_may(project: Project) -> None:
    limit(project, "max_active = 2", 'policy = "refuse"')
    for number in range(1, 9):
        project.increment(f"{number:04d}-work", status="planning" if number % 2 else "completed")
    commands = [
        ("start", str(n)) if n % 2 else ("resume", str(n), "--reason", REASON, "--yes")
        for n in range(1, 9)
    ]

    processes = [
        subprocess.Popen(
            [*unlatch(), *command],
            cwd=project.root,
            env=project.environ,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for command in commands
    ]
    codes = [process.wait(timeout=120) for process in processes]

    assert sorted(codes) == [0] * 2 + [1] * 6
    listed = project.run("list", "--json").document
    assert [entry["status"] for entry in listed].count("active") == 2


# The rules for reopening


def rule(project: Project, *lines: str) -> None:
    limit(project, *lines, table="reopen")


def test_a_reopen_may_come_too_late(project: Project) -> None:
    project.increment()  # completed three days ago
    rule(project, "within_days = 3")
    assert problem(project, *RESUME) == (1, "reopen-too-late")
    rule(project, "within_days = 4")
    assert warned(project, *RESUME, "--dry-run") == []
    rule(project, "within_days = 3", 'too_late = "warn"')
    assert warned(project, *RESUME) == ["reopen-too-late"]


def test_a_reason_may_need_a_category(project: Project) -> None:
    project.increment()
    rule(project, 'categories = ["bug", "scope-change"]', "category_required = true")
    assert problem(project, *RESUME) == (2, "category-missing")
    assert problem(project, *RESUME, "--category", "whim") == (2, "category-unknown")
    assert warned(project, *RESUME, "--category", "Scope-Change") == []
    assert project.metadata()["reopenHistory"][0]["category"] == "scope-change"
    assert project.events()[0]["category"] == "scope-change"


def test_without_a_list_any_word_is_a_category_and_a_missing_one_may_be_a_warning(
    project: Project,
) -> None:
    for name in (NAME, "0008-other"):
        project.increment(name)
    assert problem(project, *RESUME, "--category", "two words") == (2, "category-unknown")
    assert problem(project, *RESUME, "--category", " ") == (2, "category-unknown")
    assert warned(project, *RESUME, "--category", "regression") == []
    assert project.metadata()["reopenHistory"][0]["category"] == "regression"
    rule(project, "category_required = true", 'category_missing = "warn"')
    assert warned(project, "resume", "8", *RESUME[2:]) == ["category-missing"]
    assert "category" not in project.metadata("0008-other")["reopenHistory"][0]


def reopened_before(project: Project, times: int) -> None:
    entry = {"reopenedAt": "2025-10-02T08:00:00Z", "reason": "R", "reopenedBy": "Dana"}
    ids = [f"01K97A3M5T0Q8V6ZC2R4XJ1BN{number}" for number in range(times)]
    history = [{"id": ulid, **entry, "previousStatus": "completed"} for ulid in ids]
    project.increment(reopenHistory=history)


def test_from_the_nth_reopen_on_it_is_warned_or_refused(project: Project) -> None:
    reopened_before(project, 2)
    rule(project, "from_nth = 3")
    assert warned(project, *RESUME, "--dry-run") == ["reopened-too-often"]
    rule(project, "from_nth = 3", 'frequent = "refuse"')
    assert problem(project, *RESUME) == (1, "reopened-too-often")
    rule(project, "from_nth = 4", 'frequent = "refuse"')
    assert warned(project, *RESUME) == []


def test_every_refusal_is_told_at_once(project: Project) -> None:
    reopened_before(project, 2)
    rule(project, "within_days = 1", "from_nth = 2", 'frequent = "refuse"')
    done = project.run(*RESUME, "--json")
    forced = warned(project, *RESUME, "--force")
    message = done.document["error"]["message"]
    assert ("for the first 1 days" in message, "reopen number 3" in message) == (True, True)
    assert forced == ["reopen-too-late", "reopened-too-often"]
    assert project.metadata()["reopenHistory"][2]["forced"] == forced


# What status shows


def ago(days: int) -> str:
    return (datetime.now(UTC) - timedelta(days=days, hours=1)).strftime("%Y-%m-%dT%H:%M:%SZ")


@pytest.fixture
def idle(project: Project) -> Project:
    """0001 active for 40 days, 0002 active since today, 0003 and 0004 paused for 9 and 2 days."""
    project.increment("0001-one", status="active", lastActivity=ago(40))
    project.increment("0002-two", status="active", lastActivity=ago(0), type="bug")
    project.increment("0003-three", status="paused", lastActivity=ago(9))
    project.increment("0004-four", status="paused", lastActivity=ago(2))
    project.increment("0005-old", status="paused", lastActivity=ago(99), archived=True)
    return project


def test_status_holds_what_is_active_against_the_limits(idle: Project) -> None:
    limit(idle, "max_active = 1", "per_type = { feature = 1, bug = 2 }")
    done = idle.run("status")
    assert done.out.splitlines() == [
        "Active       2 of at most 1, 1 stale",
        "  0001-one  One (stale: 40 days)",
        "  0002-two  Two",
        "By type      feature 1 of at most 1; bug 1 of at most 2",
        "Paused       2, 1 stale",
        "  0003-three (9 days ago, stale)",
        "  0004-four (2 days ago)",
        "Pending      0 operations",
    ]


def test_the_document_has_limits_and_what_is_stale_and_doctor_counts_alike(idle: Project) -> None:
    limit(idle, "max_active = 1", "stale_after = { active = 0 }")

    document = idle.run("status", "--json").document

    assert document["wip"] == {
        "active": 2,
        "types": {"bug": 1, "feature": 1},
        "over": ["max_active"],
    }
    assert document["stale"] == [{"increment": "0003-three", "status": "paused", "days": 9}]
    assert document["limits"]["staleAfter"] == {"active": 0, "paused": 7}

    limit(idle, "max_active = 1")
    findings = idle.run("doctor", "--json").document["findings"]
    told = {(one["id"], one["increment"]) for one in findings}
    expected = {("wip-exceeded", None), ("stale", "0001-one"), ("stale", "0003-three")}
    assert expected == {one for one in told if one[0] in {"wip-exceeded", "stale"}}


def test_status_tells_the_rest_where_the_configuration_has_mistakes(idle: Project) -> None:
    idle.configure_more(tables="[limits]\nmax_active = 0\n")
    done = idle.run("status").ends(0, out="Config       limits.max_active: ")
    assert done.out.splitlines()[0] == "Active       2, 1 stale"


def test_status_fits_on_one_screen(project: Project) -> None:
    for number in range(1, 61):
        project.increment(f"{number:04d}-work", status="active" if number % 2 else "paused")
    with Terminal(project, "status") as terminal:  # it has 40 lines
        terminal.end()
    assert len(terminal.text.splitlines()) <= 40
    assert "and 24 more: unlatch list --status active" in terminal.text
    assert "and 24 more: unlatch list --status paused" in terminal.text


def test_the_dialogue_asks_for_a_category_where_one_is_needed(project: Project) -> None:
    project.increment()
    rule(project, 'categories = ["bug", "regression"]', "category_required = true")
    with Terminal(project, "resume", "7") as terminal:
        terminal.answer("Continue? [y/N]: ", "y\n")
        terminal.answer("Reason for reopening: ", f"{REASON}\n")
        terminal.answer("Category (bug, regression): ", "whim\n")
        terminal.expect("try again")
        terminal.answer("Category (bug, regression): ", "bug\n", times=2)
        assert terminal.end() == 0
    assert project.metadata()["reopenHistory"][0]["category"] == "bug"
