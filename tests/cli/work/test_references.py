"""Work of all kinds in one view: show, status, history, search, doctor, and names by kind."""

import json
import shlex
import shutil
import sys

import pytest
from tests.cli.output.test_documents import mistakes
from tests.cli.project import Project
from tests.cli.terminal import Terminal

REASON = "Another edge case"


@pytest.mark.usefixtures("name")
@pytest.mark.parametrize("command", ["resume", "reopen"])
def test_a_kind_before_the_id_means_its_own_command(project: Project, command: str) -> None:
    done = project.run(command, "effort:auth", "--reason", REASON)
    assert done.out == "--- Reopened effort: auth-bug ---\nTokens refresh themselves.\n"
    done = project.run(command, "session:build-auth", "--reason", REASON, "--json")
    assert done.document["schema"] == "unlatch.session-resume/1"
    assert done.document["decisions"][0]["text"] == "Refresh at 401 only"
    project.run(command, "run:x").ends(2, err="run-unknown")
    project.run(command, "effort:auth", "--offline").ends(2, err="No such option '--offline'")


@pytest.mark.usefixtures("name")
@pytest.mark.parametrize("ref", ["effort:auth-bug", "session:build-auth"])
def test_show_of_other_work_takes_offline_which_changes_nothing(project: Project, ref: str) -> None:
    assert project.run("show", ref, "--offline").out == project.run("show", ref).out
    briefing = project.run("show", ref, "--briefing", "--json").document["error"]
    assert briefing["message"] == f"--briefing takes an increment, and {ref} is none"
    assert briefing["hint"] == f"unlatch show {ref}"


@pytest.mark.usefixtures("name")
def test_an_effort_is_reopened_with_a_reason_only(project: Project) -> None:
    for words in (("resume", "effort:auth"), ("effort", "reopen", "auth-bug")):
        done = project.run(*words).shows(
            err=(
                "error[reason-missing]: reopening effort:auth-bug needs a reason",
                "next: unlatch effort reopen auth-bug --reason TEXT",
            )
        )
        blank = project.run(*words, "--reason", " ")
        assert [(2, "")] * 2 == [(done.code, done.out), (blank.code, blank.out)]
        assert "error[reason-missing]" in blank.err
    (effort,) = project.run("effort", "list", "--json").document["efforts"]
    assert (effort["status"], effort["reopens"]) == ("concluded", [])


@pytest.mark.usefixtures("name")
@pytest.mark.parametrize("ref", ["effort:auth", "session:build-auth"])
def test_a_terminal_asks_for_the_reason(project: Project, ref: str) -> None:
    with Terminal(project, "resume", ref) as terminal:
        terminal.answer("Reason for reopening", f"{REASON}\n")
        assert terminal.end() == 0, terminal.text
    assert REASON in project.run("show", ref).out


@pytest.mark.usefixtures("name")
def test_a_command_of_increments_alone_says_so(project: Project) -> None:
    item = "https://github.com/octo/widgets/issues/4"
    for command, *more in (("complete",), ("undo",), ("pause",), ("link", item)):
        project.run(command, "effort:auth-bug", *more).ends(
            2,
            err=(
                "this command takes increments, and 'effort:auth-bug' is none",
                "unlatch effort --help shows the commands for it",
            ),
        )


def test_show_and_status_have_the_other_work(project: Project, name: str) -> None:
    project.run("show", "7", "--offline").shows(
        out=("  Effort       auth-bug (concluded)\n", "-build-auth (completed)\n")
    )
    document = project.run("show", "7", "--offline", "--json")
    assert mistakes(json.loads(document.out), "show") == []
    assert document.document["related"][0] == {"ref": "effort:auth-bug", "status": "concluded"}
    assert "auth-bug" not in project.run("status").out
    project.run("resume", name, "--reason", REASON, "--yes")
    assert "Effort       auth-bug (open)\n" in project.run("status").out
    document = project.run("status", "--json")
    assert mistakes(json.loads(document.out), "status") == []
    assert {"ref": "effort:auth-bug", "status": "open"} in document.document["otherWork"]


def test_doctor_reports_links_to_nothing(project: Project, name: str) -> None:
    assert "link-dangling" not in project.run("doctor").out
    project.folder(name).rename(project.root / "elsewhere")
    done = project.run("doctor", "--json")
    found = [one for one in done.document["findings"] if one["id"] == "link-dangling"]
    assert [one["message"].partition(" ")[0].partition(":")[0] for one in found] == [
        "effort",
        "session",
    ]
    assert all(name in one["message"] for one in found)


def test_a_renumbered_increment_keeps_its_work(project: Project, name: str) -> None:
    project.increment("0007-other")
    renumbered = name.replace("0007", "0009")
    project.folder(name).rename(project.increments / renumbered)
    assert project.run("doctor", "--fix", "--yes").code == 0
    assert project.metadata(renumbered)["id"] == renumbered
    assert "link-dangling" not in project.run("doctor").out
    related = project.run("show", "9", "--offline", "--json").document["related"]
    assert [one["ref"].partition(":")[0] for one in related] == ["effort", "session"]
    assert "related" not in project.run("show", "7", "--offline", "--json").document


def plan_of(project: Project, name: str) -> None:
    (project.folder(name) / "tasks.md").write_text("# Tasks\n\n### T-002: Test it\n")
    worker = shlex.join((sys.executable, "-c", """print('{"type": "done"}')"""))
    plan = ("run", "start", f"increment:{name}", "--worker", worker, "--auditor", worker)
    assert project.run(*plan, "--yes").code == 0


@pytest.mark.sample(at=(3,))
@pytest.mark.parametrize("is_fixed", [True, False])
@pytest.mark.parametrize("to", ["0007-order-rows", "0012-order-rows"])
def test_a_former_name_finds_the_renamed_increment(
    project: Project, name: str, to: str, *, is_fixed: bool
) -> None:
    plan_of(project, name)
    project.folder(name).rename(project.increments / to)
    # These have the number, the beginning and the words of the former name.
    for other in (f"{name}-again", f"0020-{name[5:]}"):
        project.increment(other)
    if is_fixed:
        assert project.run("doctor", "--fix", "--yes").code == 0
    project.run("show", name, "--offline").ends(0, err=f"{name} is {to}")
    resumed = project.run("resume", name, "--only", "runs", "-m", "more", "--yes", "--json")
    (run,) = resumed.document["related"]
    project.run(*run["next"].split()[1:]).ends(0)
    project.run("history", name, "--json").ends(0, out=f'"{to}"')


def test_a_former_name_of_several_copies_means_none(project: Project, name: str) -> None:
    for copy in ("0012-copy", "0013-copy"):
        shutil.copytree(project.folder(name), project.increments / copy)
    shutil.rmtree(project.folder(name))
    project.run("show", name, "--offline").ends(2, err="error[ambiguous-increment]")


def test_a_run_of_a_missing_increment_has_a_next_step(project: Project, name: str) -> None:
    plan_of(project, name)
    project.folder(name).rename(project.root / "elsewhere")
    findings = project.run("doctor", "--json").document["findings"]
    (hint,) = (it["hint"] for it in findings if it["message"].startswith("run:"))
    back, command = hint.split(", or remove the run: rm -r ")
    assert back == f"rename the increment back to {name}"
    assert (project.root / command).is_dir()
