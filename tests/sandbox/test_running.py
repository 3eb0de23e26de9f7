"""Starting, stopping, keeping state, serving many at once, and output for other programs."""

import os
import signal
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest
import requests

from unlatch_sandbox import Ports, Sandbox

Call = Callable[..., requests.Response]


def test_a_restart_keeps_everything(tmp_path: Path) -> None:
    state = tmp_path / "sandbox.sqlite"
    with Sandbox(state) as sandbox:
        sandbox.github.add_issue(number=4, title="Smart", labels=["ux"])
        sandbox.github.add_comment("octo/widgets", 4, "kept")
        sandbox.ado.add_work_item(id=101, title="Smart", tags=["ux"])
        sandbox.jira.add_project("OPS", workflow="classic", deployment="Server")
        sandbox.jira.add_issue("OPS-1", summary="Smart", status="Closed")
        before = [*sandbox.github.items(), *sandbox.ado.items(), *sandbox.jira.items()]
    with Sandbox(state) as sandbox:
        after = [*sandbox.github.items(), *sandbox.ado.items(), *sandbox.jira.items()]
        assert sandbox.jira.deployment == "Server"
    assert [(i.id, i.state, i.labels, i.comments, i.updated) for i in before] == [
        (i.id, i.state, i.labels, i.comments, i.updated) for i in after
    ]


def test_a_state_file_of_a_newer_sandbox_is_refused(tmp_path: Path) -> None:
    state = tmp_path / "sandbox.sqlite"
    connection = sqlite3.connect(state)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(ValueError, match="newer sandbox"):
        Sandbox(state).start()


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="no list of open files")
def test_a_file_that_is_no_state_is_closed_again(tmp_path: Path) -> None:
    state = tmp_path / "notes.txt"
    state.write_text("Not a database, but long enough to look like one. " * 10)

    with pytest.raises(ValueError, match="cannot be used as state"):
        Sandbox(state).start()

    assert str(state) not in map(os.path.realpath, Path("/proc/self/fd").iterdir())


def test_ports_are_taken_as_asked_and_given_back() -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    for _ in range(2):
        with Sandbox(ports=Ports(github=port)) as sandbox:
            assert sandbox.github.web_url.endswith(f":{port}")
            with pytest.raises(OSError, match="in use"):
                Sandbox(ports=Ports(console=port)).start()


def test_simultaneous_changes_all_count(box: Sandbox, github: Call, jira: Call) -> None:
    box.github.add_issue(number=4, title="T")
    box.jira.add_issue("SCRUM-28", summary="T")

    def change(number: int) -> tuple[int, int]:
        label = github("POST", "/repos/octo/widgets/issues/4/labels", json=[f"l{number}"])
        update = {"labels": [{"add": f"l{number}"}]}
        put = jira("PUT", "/3/issue/SCRUM-28", json={"update": update})
        return label.status_code, put.status_code

    with ThreadPoolExecutor(12) as pool:
        assert {(200, 204)} == set(pool.map(change, range(24)))
    expected = {f"l{number}" for number in range(24)}
    labels = box.github.issue("octo/widgets", 4)["labels"]
    assert expected == {label["name"] for label in labels}
    assert expected == set(box.jira.issue("SCRUM-28")["fields"]["labels"])


def test_of_simultaneous_guarded_patches_one_wins(box: Sandbox, patch: Call) -> None:
    box.ado.add_work_item(id=101, title="T")
    rev = box.ado.work_item(101)["rev"]

    def comment(number: int) -> int:
        steps = (("test", "/rev", rev), ("add", "/fields/System.History", str(number)))
        return patch("/_apis/wit/workitems/101", *steps).status_code

    with ThreadPoolExecutor(8) as pool:
        codes = sorted(pool.map(comment, range(8)))
    assert [200, *[412] * 7] == codes
    assert len(box.ado.comments(101)) == 1


def test_each_tracker_writes_the_clock_in_its_own_way() -> None:
    moment = datetime(2025, 11, 1, 10, 30, 15, 123456, UTC)
    with Sandbox(clock=lambda: moment) as sandbox:
        sandbox.github.add_issue(number=4, title="T")
        sandbox.ado.add_work_item(id=101, title="T")
        sandbox.jira.add_issue("SCRUM-28", summary="T")
        times = (
            sandbox.github.issue("octo/widgets", 4)["created_at"],
            sandbox.ado.work_item(101)["fields"]["System.CreatedDate"],
            sandbox.jira.issue("SCRUM-28")["fields"]["created"],
        )
    assert times == (
        "2025-11-01T10:30:15Z",
        "2025-11-01T10:30:15.123Z",
        "2025-11-01T10:30:15.123+0000",
    )


SERVING = """
from unlatch_sandbox import Sandbox, serve
sandbox = Sandbox().start()
print(sandbox.console_url, flush=True)
serve(sandbox)
print("stopped", flush=True)
"""


def test_serving_ends_with_ctrl_c() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", SERVING],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2] / "core")},
    ) as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        assert requests.get(url, timeout=10).status_code == 200
        process.send_signal(signal.SIGINT)
        assert (process.stdout.read(), process.wait(10)) == ("stopped\n", 0)
