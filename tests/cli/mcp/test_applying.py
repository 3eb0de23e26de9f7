"""apply_plan, with a process that is killed and with another one at the same time."""

from pathlib import Path

import anyio
import pytest
from mcp import Client
from tests.cli.mcp.test_mcp import REASON, Talk, text_of
from tests.cli.project import Project

from unlatch_sandbox import Fault

# In the process of the command that applies: another command changes the project as it begins, or
# as it takes its first lock.
MEANWHILE = """\
import os, subprocess, sys
def other(event, arguments):
    if event == WHEN and os.environ.pop("PYTHONPATH", None):
        subprocess.run([sys.executable, "-P", "-m", "unlatch.cli", *OTHER], stdout=2, check=True)
if "--yes" in sys.argv:
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
    meanwhile(project, tmp_path / "other", "link", "7", project.urls["jira"], when="open")
    talk = Talk(project)
    planned = talk.result("plan_resume", id="7", reason=REASON)
    assert [one["tracker"] for one in planned["plan"]["items"]] == ["github"]
    said = talk.error("apply_plan", token=planned["token"])
    assert "error[plan-changed]" in said
    assert "next: make a new plan" in said
    assert project.metadata(name)["status"] == "completed"
    assert project.states() == {"github": "closed", "jira": "Done"}


@pytest.mark.sweep
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
    assert "error[plan-changed]" in talk.error("apply_plan", token=token)
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
if sys.argv.count("--yes") or "effort" in sys.argv:
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
    said = talk.error("apply_plan", token=token)
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


# In the process of the command named WHOSE: it waits as it begins, until it may go on.
WAITING = """\
import os, sys, time
from pathlib import Path
here = Path(os.environ.get("PYTHONPATH") or ".")
if WHOSE in sys.argv and (here / "hold").exists():
    (here / "begun").touch()
    while (here / "hold").exists():
        time.sleep(0.01)
"""


def cancelled(project: Project, folder: Path, whose: str) -> None:
    """Apply a plan, and cancel the call while this process of it runs."""
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(f"WHOSE = {whose!r}\n{WAITING}")
    project.extra["PYTHONPATH"] = str(folder)

    async def go(client: Client) -> None:
        arguments = {"id": "7", "reason": REASON}
        planned = (await client.call_tool("plan_resume", arguments)).structured_content or {}
        (folder / "hold").touch()
        async with anyio.create_task_group() as group:
            group.start_soon(client.call_tool, "apply_plan", {"token": planned["token"]})
            with anyio.fail_after(120):
                while not (folder / "begun").exists():  # noqa: ASYNC110  (another process)
                    await anyio.sleep(0.01)
            group.cancel_scope.cancel()
        # The server has read the cancellation before this.
        await client.call_tool("search", {"query": "discipline"})
        (folder / "hold").unlink()

    # Only this era has streams here. Its end waits for the call.
    Talk(project)(go, "legacy")


def test_a_call_cancelled_before_the_first_change_changes_nothing(
    project: Project, tmp_path: Path
) -> None:
    name = project.increment(links=project.items("github"))
    before = project.tree()
    cancelled(project, tmp_path / "waiting", "--dry-run")
    assert (before, "completed") == (project.tree(), project.metadata(name)["status"])
    assert project.states() == {"github": "closed"}


@pytest.mark.sweep
def test_a_call_cancelled_after_that_finishes(project: Project, tmp_path: Path) -> None:
    name = project.increment(links=project.items("github"))
    cancelled(project, tmp_path / "waiting", "--yes")
    assert project.metadata(name)["status"] == "active"
    assert project.states() == {"github": "open"}


@pytest.mark.parametrize(
    "tool", [pytest.param("plan_resume", marks=pytest.mark.sweep), "plan_reopen"]
)
def test_a_plan_still_counts_after_a_tracker_did_not_answer(project: Project, tool: str) -> None:
    links = project.items("github", "jira")
    if tool == "plan_resume":
        project.increment(links=links)
    talk = Talk(project)
    subject = {"items": [project.urls["github"], project.urls["jira"]]}
    arguments = {"id": "7"} if tool == "plan_resume" else subject
    token = talk.result(tool, reason=REASON, **arguments)["token"]
    project.box.faults.add(Fault("jira", "status", code=503, times=99))
    said = talk.error("apply_plan", token=token)
    assert f"error[plan-not-checked]: {project.urls['jira']} could not be read: " in said
    assert "nothing was done; next: apply_plan with the same token" in said
    assert project.states() == {"github": "closed", "jira": "Done"}
    project.box.faults.clear()
    talk.result("apply_plan", token=token)
    assert project.states() == {"github": "open", "jira": "In Progress"}
    assert "plan-unknown" in talk.error("apply_plan", token=token)
