"""The rule and the pipeline of docs/comments.md pass on what `unlatch ingest` needs."""

import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.cli.project import Project
from tests.cli.trackers.test_comments_elsewhere import Desk, desk

__all__ = ["desk"]
PAGE = Path(__file__).parents[3] / "docs" / "comments.md"


def block(language: str, word: str) -> str:
    """The block of the page in a language that has a word."""
    found = re.findall(rf"^```{language}\n(.*?)^```$", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    (text,) = [one for one in found if word in one]
    return str(text)


def path_in(project: Project, content: Any) -> str:
    path = project.home / "event.json"
    path.write_text(json.dumps(content))
    return str(path)


@pytest.mark.parametrize("desk", ["jira"], indirect=True)
def test_the_rule_in_jira_reopens_the_issue(desk: Desk) -> None:
    project = desk.project
    values = {
        "comment.id": desk.post("Ann", "/reopen It crashes"),
        "issue.key": "SCRUM-28",
        "baseUrl": project.box.jira.site,
    }
    text = block("json", "client_payload")
    sent = json.loads(re.sub(r"\{\{([\w.]+)\}\}", lambda one: values[one[1]], text))
    # As GitHub passes it to the workflow.
    event = {"action": sent.pop("event_type"), **sent, "repository": {"full_name": "octo/widgets"}}

    done = project.run("ingest", "--from", "jira-event", path_in(project, event))

    assert (0, True) == (done.code, desk.is_open), done.said


@pytest.mark.sample(at=(1,))
@pytest.mark.parametrize("desk", ["ado"], indirect=True)
@pytest.mark.parametrize("forged", [None, 'x"}; unlatch --version #'], ids=["true", "forged"])
def test_the_pipeline_on_azure_devops_reopens_the_item(desk: Desk, forged: str | None) -> None:
    project, ado = desk.project, desk.project.box.ado
    desk.post("Ann", "/reopen It crashes")
    pipeline = yaml.safe_load(block("yaml", "webhooks:"))
    # Without the first, each push starts a run that has no item.
    assert "none" == pipeline["trigger"]
    install, step = (each for each in pipeline["steps"] if "bash" in each)
    assert "unlatch[all]" in shlex.split(install["bash"])
    assert {"ITEM", "REVISION", "SYSTEM_ACCESSTOKEN"} == step["env"].keys()
    environ = {
        "ITEM": "101",
        "REVISION": forged or str(ado.work_item(101)["rev"]),
        "SYSTEM_COLLECTIONURI": f"{ado.organization_url}/",
        "AGENT_TEMPDIRECTORY": str(project.home),
    }
    writing, _, ingest = step["bash"].rpartition("unlatch ")

    written = subprocess.run(
        [str(shutil.which("bash")), "-c", writing],
        env={**project.environ, **environ},
        capture_output=True,
        check=False,
    )
    words = shlex.split(ingest.replace("$AGENT_TEMPDIRECTORY", str(project.home)))
    done = project.run(*(word for word in words if word not in ("--commit", "push")))

    is_number = forged is None
    assert is_number is (written.stderr == b""), written.stderr
    assert is_number is desk.is_open, done.said
