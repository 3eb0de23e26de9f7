"""No token is shown or written, after any failure and with all details."""

from base64 import b64encode
from pathlib import Path
from urllib.parse import quote

import pytest
from tests.cli.project import ALL, REASON, Project

from unlatch_sandbox import Fault, Sandbox

RESUME = ("resume", "7", "--reason", REASON, "--yes")


def secrets(box: Sandbox, *trackers: str) -> list[str]:
    """Every spelling in which these trackers' tokens are sent or could be found."""
    sent = {
        "github": [box.github.token],
        "ado": [box.ado.token, _encoded(f":{box.ado.token}")],
        "jira": [box.jira.token, _encoded(f"{box.jira.email}:{box.jira.token}")],
    }
    found = [spelling for tracker in trackers or ALL for spelling in sent[tracker]]
    return [*found, *(quote(spelling, safe="") for spelling in found)]


def _encoded(text: str) -> str:
    return b64encode(text.encode()).decode()


def fault(name: str, tracker: str, box: Sandbox) -> Fault:
    # A tracker can repeat what it was sent, and no more.
    echoed = " ".join(secrets(box, tracker))
    made = {
        "refused": Fault(tracker, "status", code=401, body=f"bad token {echoed}", times=99),
        "forbidden": Fault(tracker, "status", code=403, body={"message": echoed}, times=99),
        "rejected": Fault(tracker, "status", code=422, body={"errors": [echoed]}, times=99),
        "echoed": Fault(
            tracker, "status", code=500, body=echoed, headers={"X-Echo": echoed}, times=99
        ),
        "redirected": Fault(
            tracker, "redirect", location=f"http://127.0.0.1:9/?access_token={echoed}", times=99
        ),
        "dropped": Fault(tracker, "drop", times=99),
        "html": Fault(tracker, "html", times=99),
        "misread": Fault(tracker, "status", code=200, body=_answer_of(echoed), times=99),
    }
    return made[name]


def _answer_of(echoed: str) -> dict[str, object]:
    """A success whose item has an unknown state; its error is made of an answer that was taken."""
    return {"number": 1, "title": "A", "labels": [], "state": echoed}


@pytest.mark.sample(count=1)
@pytest.mark.parametrize(
    "name",
    [
        pytest.param("refused", marks=pytest.mark.sweep),
        pytest.param("forbidden", marks=pytest.mark.sweep),
        "rejected",
        pytest.param("echoed", marks=pytest.mark.sweep),
        "redirected",
        pytest.param("dropped", marks=pytest.mark.sweep),
        pytest.param("html", marks=pytest.mark.sweep),
        "misread",
    ],
)
def test_no_failure_shows_a_token(completed: Project, tmp_path: Path, name: str) -> None:
    for tracker in ALL:
        completed.box.faults.add(fault(name, tracker, completed.box))
    trace = tmp_path / "trace.log"
    options = ("--debug", "--max-wait", "0", "--trace-http", str(trace))

    shown = [
        completed.run(*options, *RESUME),
        completed.run(*options, "show", "7", "--json"),
        completed.run(*options, "link", "7", completed.urls["github"]),
        completed.run("auth", "status", "--json"),
    ]

    assert shown[0].code == 3, shown[0].said
    assert trace.stat().st_size > 0
    files = {path: path.read_bytes() for path in completed.root.rglob("*") if path.is_file()}
    for secret in secrets(completed.box):
        assert not any(secret in done.said for done in shown)
        assert secret not in trace.read_text()
        assert [str(path) for path, raw in files.items() if secret.encode() in raw] == []


def test_the_trace_of_a_success_shows_what_was_sent_and_no_token(
    completed: Project, tmp_path: Path
) -> None:
    trace = tmp_path / "trace.log"
    completed.process("--trace-http", str(trace), *RESUME).ends(0)
    text = trace.read_text()
    assert trace.stat().st_mode & 0o777 == 0o600
    assert completed.box.requests.count() == text.count("> Authorization: ***")
    assert f"{REASON}" in text
    assert not any(secret in text for secret in secrets(completed.box))


def test_a_crash_shows_a_traceback_without_a_token(completed: Project) -> None:
    completed.extra["GITHUB_TOKEN"] = "gh\ns3cret-t0ken"
    completed.process("--debug", "show", "7").shows(lacks="s3cret-t0ken")


def test_a_token_in_an_address_is_refused_and_not_repeated(completed: Project) -> None:
    address = completed.urls["github"].replace("http://", "http://me:s3cret-t0ken@")
    pasted = completed.run("link", "7", address)
    config = completed.box.config().replace("http://127", "http://me:s3cret-t0ken@127", 1)
    completed.configure(config)
    done = completed.run("--debug", *RESUME).ends(1, err="error[config-invalid]")
    assert "s3cret-t0ken" not in done.said + pasted.said
    assert b"s3cret-t0ken" not in (completed.folder() / "metadata.json").read_bytes()


def test_an_error_shows_no_password_of_a_typed_address(project: Project) -> None:
    password = "Hunter2Zzz9"
    address = f"https://ada:{password}@github.com/octo/widgets/issues/9"
    project.increment()
    for command in (
        ("status", address),
        ("show", address),
        ("link", "7", address),
        ("unlink", "7", address),
        ("reopen", address, "--reason", "More", "--yes"),
        ("new", "--from", address),
    ):
        for words in (command, ("--debug", *command), (*command, "--json")):
            project.run(*words).ends(2, "octo/widgets/issues/9", lacks=password)
