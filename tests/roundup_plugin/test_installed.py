"""unlatch finds the installed plugin by itself, and works with it as with its own."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.servers.roundup import Roundup
from tests.warm.client import unlatch

NAME = "0007-smart-discipline"


@pytest.fixture
def project(tmp_path: Path, roundup_server: Roundup) -> Path:
    folder = tmp_path / ".unlatch" / "increments" / NAME
    folder.mkdir(parents=True)
    content = {"id": NAME, "status": "completed", "completedAt": "2026-01-01T00:00:00Z"}
    (folder / "metadata.json").write_text(json.dumps(content))
    (folder / "spec.md").write_text("# Smart discipline\n")
    config = f'[trackers.roundup]\nurl = "{roundup_server.url}"\nuser = "{roundup_server.user}"\n'
    (tmp_path / ".unlatch" / "config.toml").write_text(config)
    return tmp_path


def run(project: Path, site: Path, *arguments: str, **environ: str) -> tuple[int, Any]:
    """Unlatch as a process of its own: its exit code, and its one JSON document."""
    done = subprocess.run(
        [*unlatch(), *arguments, "--json"],
        cwd=project,
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(project),
            "PYTHONPATH": str(site),
            "PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring",
            **environ,
        },
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.returncode, json.loads(done.stdout)


def test_the_main_job_is_done_on_a_live_tracker(
    project: Path, site: Path, roundup_server: Roundup
) -> None:
    issue = roundup_server.add_issue("Smart discipline", status="resolved", keywords=["completed"])
    environ = {
        "ROUNDUP_USER": roundup_server.user,
        "ROUNDUP_PASSWORD": roundup_server.password,
        "UNLATCH_TRUSTED_HOSTS": "roundup=127.0.0.1",
    }
    code, known = run(project, site, "plugins")
    assert code == 0
    assert "roundup" in [plugin["name"] for plugin in known["plugins"]]

    url = f"{roundup_server.url}/issue{issue}"
    assert run(project, site, "link", "7", url, **environ)[0] == 0
    reason = ("--reason", "Bug discovered in error handling", "--yes", "--by", "Dana")
    code, told = run(project, site, "resume", "7", *reason, **environ)

    assert (code, told["trackers"][0]["outcome"]) == (0, "reopened")
    assert roundup_server.status(issue) == "chatting"
    assert roundup_server.keywords(issue) == {"completed"}
    (message,) = roundup_server.messages(issue)
    assert "Bug discovered in error handling" in message
    metadata = project / ".unlatch" / "increments" / NAME / "metadata.json"
    (entry,) = json.loads(metadata.read_text())["reopenHistory"]
    reached = entry["syncedTo"]["roundup"]
    assert (int(issue), url) == (reached["issueNumber"], reached["issueUrl"])


def test_its_host_is_not_trusted_by_a_file_in_the_repository(
    project: Path, site: Path, roundup_server: Roundup
) -> None:
    issue = roundup_server.add_issue("Smart discipline", status="resolved")
    url = f"{roundup_server.url}/issue{issue}"
    environ = {"ROUNDUP_USER": "admin", "ROUNDUP_PASSWORD": roundup_server.password}
    code, told = run(project, site, "link", "7", url, **environ)
    assert (code, told["error"]["id"]) == (1, "host-not-trusted")
