"""A plan that does not hold any more is refused with what changed; a file that is none, too."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest
from tests.cli.plans.test_apply import FILE, active, completed, save, seen
from tests.cli.project import ALL, CLOSED, NAME, OPEN, REASON, Project
from tests.delivery.stage import OTHERS, as_bot, move

Plan = dict[str, Any]


def refused(project: Project, *options: str) -> str:
    """Apply the plan, which is refused and changes nothing; what was said."""
    before = seen(project)
    done = project.run("apply", FILE, "--yes", *options).ends(5)
    assert seen(project) == before
    return done.said


def invalid(project: Project) -> str:
    """Apply a file that is no plan; what was said."""
    before = seen(project)
    project.box.requests.clear()
    done = project.run("apply", FILE, "--yes").ends(2, err="error[plan-file-invalid]")
    assert project.sent() == []
    assert seen(project) == before
    return done.err


def write(project: Project, content: object) -> None:
    (project.root / FILE).write_text(json.dumps(content), encoding="utf-8")


def test_a_command_that_is_no_longer_possible_is_a_change(project: Project) -> None:
    active(project)
    save(project, "pause", "7")
    assert project.run("complete", "7", "--force", "--yes", "--offline").code == 0
    assert f"{NAME}: status: active -> completed" in refused(project)


def test_a_change_and_its_undo_are_changes(single: Project) -> None:
    save(single, "resume", "7", "-m", REASON)
    for command in (("resume", "7", "-m", "Other", "--yes"), ("undo", "7", "--yes")):
        assert single.run(*command).code == 0
    said = refused(single)
    assert f"{NAME}: lastEvent: nothing -> " in said
    assert "revision" not in said


@pytest.mark.sample(count=1)
@pytest.mark.parametrize(
    "command",
    [("jira", "update-issue", "7", "-m", "Look"), ("github", "create-issue", "7", "--another")],
)
def test_what_could_be_done_twice_is_refused_the_second_time(
    project: Project, command: tuple[str, ...]
) -> None:
    active(project)
    save(project, *command)
    assert project.run("apply", FILE, "--yes").code == 0
    project.box.requests.clear()
    assert f"{NAME}: lastEvent: nothing -> " in refused(project)
    assert project.wrote() == []


@pytest.mark.parametrize("tracker", ALL)
def test_an_item_that_a_person_closed_meanwhile_is_said(project: Project, tracker: str) -> None:
    project.increment(status="active", links=project.items(tracker, finished=False))
    save(project, "complete", "7", "--force")
    move(project, tracker, CLOSED[tracker], OTHERS[tracker])
    change = f"{project.urls[tracker]}: state: {OPEN[tracker]} -> {CLOSED[tracker]}"
    assert change in refused(project)


@pytest.mark.parametrize("tracker", ALL)
def test_an_item_that_was_closed_at_another_time_is_said(project: Project, tracker: str) -> None:
    project.increment(links=project.items(tracker))
    plan = save(project, "resume", "7", "-m", REASON)
    (item,) = (one for one in plan["items"] if one["tracker"] == tracker)
    item["since"] = "2026-01-01T00:00:00Z"
    write(project, plan)
    assert f"{project.urls[tracker]}: since: 2026-01-01T00:00:00Z -> " in refused(project)


def test_an_item_that_cannot_be_read_any_more_is_not_checked(single: Project) -> None:
    save(single, "resume", "7", "-m", REASON)
    for name in single.box.environ():
        if name.endswith(("TOKEN", "PAT")):
            single.extra[name] = None
    assert "error[plan-not-checked]" in refused(single)


def test_another_project_is_refused(single: Project) -> None:
    single.git("init", "--quiet")
    single.git("remote", "add", "origin", "https://github.com/octo/widgets.git")
    plan = save(single, "resume", "7", "-m", REASON)
    assert plan["project"] == "github.com/octo/widgets"
    single.git("remote", "set-url", "origin", "git@github.com:octo/widgets")
    assert single.run("apply", FILE, "--dry-run").code == 0
    single.git("remote", "set-url", "origin", "https://ada@github.com/octo/gadgets")
    said = refused(single)
    assert "error[plan-elsewhere]" in said
    assert "made for github.com/octo/widgets, and this is github.com/octo/gadgets" in said


@pytest.mark.parametrize("tracker", ALL)
def test_another_account_is_refused(project: Project, tracker: str) -> None:
    project.increment(links=project.items(tracker))
    account = save(project, "resume", "7", "-m", REASON)["accounts"][tracker]
    said = refused(as_bot(project))
    assert f"accounts: {tracker}: {account} -> " in said


def _edit(*path: str | int, to: object) -> Callable[[Plan], None]:
    def edit(plan: Plan) -> None:
        place: Any = plan
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = to

    return edit


EDITS = {
    "text": _edit("preview", "items", 0, "comment", to="Harmless"),
    "host": _edit("preview", "items", 0, "url", to="https://evil.example/octo/widgets/issues/4"),
    "request": _edit("preview", "items", 0, "requests", 1, "url", to="https://evil.example/"),
    "no item": _edit("preview", "items", to=[]),
    "status": _edit("preview", "increment", "wouldBe", to="completed"),
    "basis": _edit("items", 0, "state", to="open"),
    "no basis": _edit("items", to=[]),
    "no increments": _edit("increments", to=[]),
    "no accounts": _edit("accounts", to={}),
    "increment": _edit("increments", 0, "revision", to="0" * 32),
    "reason": _edit("command", "options", "--reason", to=["Another reason"]),
    "author": _edit("command", "options", "--by", to=["Mallory"]),
    "no author": _edit("command", "options", to={"--reason": [REASON]}),
    "option": _edit("command", "options", "--no-labels", to=[]),
    "other words": _edit("command", "words", to=["8"]),
    "other command": _edit("command", "name", to="complete"),
    "malformed preview": _edit("preview", to={"increment": [], "increments": [1], "items": {}}),
}


def test_an_edited_plan_is_refused(project: Project) -> None:
    project.increment(links=project.items("github"))
    project.increment("0008-other")
    plan = save(project, "resume", "7", "-m", REASON)
    for name, edit in EDITS.items():
        edited = deepcopy(plan)
        edit(edited)
        write(project, edited)
        assert "error[plan-changed]" in refused(project), name


FORBIDDEN: dict[str, Callable[[Plan], object]] = {
    "unknown command": _edit("command", "name", to="auth login"),
    "no command": _edit("command", "name", to=""),
    "a group": _edit("command", "name", to="github"),
    "a command without a plan": _edit("command", "name", to="doctor"),
    "apply itself": _edit("command", "name", to="apply"),
    "a file that is read": _edit("command", "options", "--reason-file", to=["/etc/passwd"]),
    "tasks": _edit("command", "options", "--tasks-file", to=["/etc/passwd"]),
    "an editor": _edit("command", "options", "--edit", to=[]),
    "a saved plan": _edit("command", "options", "--plan-out", to=["other"]),
    "consent": _edit("command", "options", "--yes", to=[]),
    "an option and its value": _edit("command", "options", "--label=x", to=[]),
    "stdin": _edit("command", "words", to=["-"]),
    "zero byte": _edit("command", "words", to=["7\0"]),
    "half a character": _edit("command", "options", "--reason", to=["\ud800"]),
    "another type": _edit("command", "words", to=[7]),
    "unknown key": _edit("more", to=1),
    "newer version": _edit("schema", to="unlatch.plan/2"),
    "no preview": lambda plan: plan.pop("preview"),
}


WORDS = ("session:2026-01-01-x", "effort:auth", "--yes", "--root=/")


def test_what_no_plan_can_have_is_refused_before_any_request(single: Project) -> None:
    plan = save(single, "resume", "7", "-m", REASON)
    for edit in FORBIDDEN.values():
        edited = deepcopy(plan)
        edit(edited)
        write(single, edited)
        invalid(single)
    for word in WORDS:  # it is never an option, nor other work
        write(single, {**plan, "command": {**plan["command"], "words": [word]}})
        before = seen(single)
        assert single.run("apply", FILE, "--yes").code in (1, 2), word
        assert seen(single) == before


def test_a_file_that_is_no_plan_is_refused(single: Project) -> None:
    for content, why in (
        (b"", "the file is empty"),
        (b"{", "unexpected end of file"),
        (b"[]", "object"),
        (b"\xff\xfe{\x00}\x00", "not UTF-8"),
        (b'{"schema": "unlatch.plan/1", "schema": "unlatch.plan/1"}', "occurs twice"),
        (b"[" * 100_000, "nested"),
        (b" " * (8 << 20) + b"{}", "more than 8,388,608 bytes"),
        (b'{"schema": NaN}', "NaN"),
    ):
        (single.root / FILE).write_bytes(content)
        assert why in invalid(single)


def test_every_cut_of_a_plan_is_refused(single: Project) -> None:
    save(single, "resume", "7", "-m", REASON)
    whole = (single.root / FILE).read_bytes()
    for length in range(0, len(whole) - 2, len(whole) // 5):
        (single.root / FILE).write_bytes(whole[:length])
        invalid(single)


def test_a_pipe_and_a_missing_file_are_refused(single: Project) -> None:
    assert single.run("apply", "missing.json").code == 2
    os.mkfifo(single.root / FILE)
    before = single.metadata()
    assert single.run("apply", FILE, "--yes").code == 2
    assert single.metadata() == before


def test_an_existing_file_is_not_overwritten(single: Project) -> None:
    (single.root / FILE).write_text("mine")
    single.run("resume", "7", "-m", REASON, "--plan-out", FILE).ends(1, err="error[not-writable]")
    assert (single.root / FILE).read_text() == "mine"


SECRET = "ghp_" + "x7Ky2" * 8  # of no account


def test_a_plan_with_a_secret_is_not_saved(single: Project) -> None:
    token = single.extra["JIRA_API_TOKEN"] = "plain-words-of-nobody"  # whether it was used or not
    for secret, *words in (
        (SECRET, "--reason", f"See https://ada:{SECRET}@example.com/"),
        (SECRET, "--reason", "Because", "--by", SECRET),
        (SECRET, "--reason", "Because", "--label", SECRET),
        (SECRET, "--reason", "Because", "--key", SECRET),
        (token, "--reason", f"It is {token}"),
    ):
        single.run("resume", "7", *words, "--plan-out", FILE).ends(
            2, err="error[secret-in-text]", lacks=secret
        )
        assert not (single.root / FILE).exists()


@pytest.mark.parametrize(
    ("command", "option"),
    [
        (("resume", "7", "-m", REASON, "--tasks-file", "tasks.txt"), "--tasks-file"),
        (("resume", "7", "-m", REASON, "--scope", "More"), "--scope"),
        (("complete", "7", "--archive"), "--archive"),
        (("complete", "7", "--briefing"), "--briefing"),
        (("link", "--file", "links.txt"), "--file"),
        (("sync", "--commit", "push"), "--commit"),
        (("sync", "--check"), "--check"),
    ],
)
def test_an_option_that_reads_or_starts_something_is_in_no_plan(
    project: Project, command: tuple[str, ...], option: str
) -> None:
    (completed if command[0] == "resume" else active)(project)
    (project.root / "tasks.txt").write_text("Task\n")
    (project.root / "links.txt").write_text(f"7 {project.urls['github']}\n")
    done = project.run(*command, "--plan-out", FILE)
    assert done.code in (1, 2), done.said
    assert option in done.err
    assert not (project.root / FILE).exists()


def test_the_plan_of_a_reopen_needs_its_reason(single: Project) -> None:
    single.run("resume", "7", "--plan-out", FILE).ends(2, err="error[reason-missing]")
    assert not (single.root / FILE).exists()
