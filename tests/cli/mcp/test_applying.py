"""apply_plan, with a process that is killed and with another one at the same time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.cli.mcp.test_mcp import REASON, Talk, text_of

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.project import Project

# In the process of the command that applies: another command changes the project as it begins, or
# as it takes its first lock.
MEANWHILE = """\
import os, subprocess, sys
def other(event, arguments):
    if event == WHEN and os.environ.pop("PYTHONPATH", None):
        subprocess.run([sys.executable, "-P", "-m", "unlatch.cli", *OTHER], stdout=2, check=True)
if "--yes" in sys.orig_argv:
    sys.addaudithook(other)
"""


def meanwhile(project: Project, folder: Path, *other: str, when: str) -> None:
    folder.mkdir()
    text = f"OTHER, WHEN = {other!r}, {when!r}\n{MEANWHILE}"
    (folder / "sitecustomize.py").write_text(text)
    project.extra["PYTHONPATH"] = str(folder)


def test_an_item_outside_of_the_plan_is_not_changed(project: Project, tmp_path: Path) -> None:
    links = project.items("github", "jira")
    name = project.increment(links={"github": links["github"]})
    meanwhile(project, tmp_path / "other", "link", "7", project.urls["jira"], when="import")
    talk = Talk(project)
    planned = talk.result("plan_resume", id="7", reason=REASON)
    assert [one["tracker"] for one in planned["plan"]["items"]] == ["github"]
    said = text_of(talk.call("apply_plan", token=planned["token"]))
    assert "error[plan-changed]" in said
    assert "next: make a new plan" in said
    assert project.metadata(name)["status"] == "completed"
    assert project.states() == {"github": "closed", "jira": "Done"}


def test_a_plan_is_refused_if_another_process_is_faster(project: Project, tmp_path: Path) -> None:
    name = project.increment(links=project.items("github"))
    meanwhile(
        project,
        tmp_path / "other",
        "resume",
        "7",
        "--reason",
        "From B",
        "--yes",
        when="fcntl.flock",
    )
    talk = Talk(project)
    token = talk.result("plan_resume", id="7", reason=REASON)["token"]
    assert "error[plan-changed]" in text_of(talk.call("apply_plan", token=token))
    (known,) = project.metadata(name)["reopenHistory"]
    assert known["reason"] == "From B"


# In the process of a command that writes: it is killed before its first connection after a change.
DYING = """\
import os, signal, sys
changed = []
def hook(event, arguments):
    if event == "os.rename" and str(arguments[1]).endswith(NAMES):
        changed.append(arguments)
    if changed and event == WHEN:
        os.kill(os.getpid(), signal.SIGKILL)
if sys.orig_argv.count("--yes") or "effort" in sys.orig_argv:
    sys.addaudithook(hook)
"""


def die(project: Project, folder: Path, *names: str, when: str) -> None:
    folder.mkdir()
    text = f"NAMES, WHEN = {names!r}, {when!r}\n{DYING}"
    (folder / "sitecustomize.py").write_text(text)
    project.extra["PYTHONPATH"] = str(folder)


def test_after_a_killed_apply_it_is_unknown_what_was_changed(
    project: Project, tmp_path: Path
) -> None:
    name = project.increment(links=project.items("github"))
    die(project, tmp_path / "dying", "metadata.json", when="socket.connect")
    talk = Talk(project)
    token = talk.result("plan_resume", id="7", reason=REASON)["token"]
    said = text_of(talk.call("apply_plan", token=token))
    assert "error[call-unknown]: unlatch resume gave no document" in said
    assert "unknown what was changed" in said
    assert "deliver them with `unlatch sync`; next: show_increment" in said
    assert project.metadata(name)["status"] == "active"
    del project.extra["PYTHONPATH"]
    assert project.run("sync").code == 0
    assert project.states() == {"github": "open"}
    assert len(project.metadata(name)["reopenHistory"]) == 1


def test_after_a_killed_change_of_an_effort_it_is_unknown_what_was_changed(
    project: Project, tmp_path: Path
) -> None:
    die(project, tmp_path / "dying", ".json", when="os.rename")
    said = text_of(Talk(project, toolsets=("efforts",)).call("open_effort", name="Auth bug"))
    assert "error[call-unknown]" in said
    assert said.count("next: effort_status") == 1
