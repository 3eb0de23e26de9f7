"""Bad input: a clear error with an id and a hint, the right exit code, nothing half done."""

import os
import sys

import pytest
from tests.cli.project import CLOSED, NAME, REASON, Project
from tests.cli.refusing import assert_refused, assert_unchanged
from tests.cli.setup.unprivileged import unprivileged

RESUME = ("resume", "7", "--reason", REASON, "--yes")


def test_a_command_that_was_mistyped(single: Project) -> None:
    before = single.tree()
    for line in (
        *("resume", "resume 7 --no-such-option", "no-such-command", "history 7 8"),
        *("resume 7 --comment loud", "--max-wait -1 list", "--max-wait nan list"),
        *("--max-wait inf list", "--max-wait 1e999 list"),
    ):
        single.run(*line.split()).ends(2, err="Error: ", whole_out="")
    for limit in ("--max-cost", "--timeout"):  # nothing would ever exceed it
        single.run("run", "start", "plan.md", "--worker", "claude -p", limit, "NaN").ends(
            2, err="is not a number"
        )
    assert_unchanged(single, before)


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("ado reopen-issue 7", "next: unlatch ado reopen-work-item 7\n"),
        ("jira close-work-item 7", "next: unlatch jira close-issue 7\n"),
        ("link 7 --create github jira", "--create takes one tracker"),
        ("resume 7 -m ok", "next: unlatch resume 0007-smart-discipline --reason ok --yes\n"),
        ("resume 7 -m it's", "--reason 'it'\"'\"'s' --yes\n"),
        (f"resume 7 -m {'x' * 80}", "--reason TEXT --yes\n"),
    ],
)
def test_the_next_step_has_what_was_typed_and_the_trackers_own_words(
    completed: Project, typed: str, expected: str
) -> None:
    completed.run(*typed.split()).ends(2, err=expected)


def test_an_ambiguous_id_lists_the_candidates(single: Project) -> None:
    single.increment("0007-other")
    single.increment("0007-third", archived=True)
    before = single.tree()
    done = single.run(*RESUME)
    assert_refused(done, 2, "ambiguous-increment")
    listed = ["0007-other", "0007-smart-discipline", "_archive/0007-third"]
    assert "".join(f"  - {name}\n" for name in listed) in done.err
    assert_unchanged(single, before)
    assert single.run("show", NAME, "--offline").code == 0


MISTAKES = """
comment = "loud"
[labels]
reopend = "again"
[trackers.github]
api_url = "http://127.0.0.1:1/api/v3"
web_url = "http://127.0.0.1:1"
repository = "no repository"
"""


def test_a_configuration_that_is_none(single: Project) -> None:
    for content in (b"not toml", b"\xff\xfe", b"[trackers]\ngithub = 1\n"):
        (single.root / ".unlatch" / "config.toml").write_bytes(content)
        before = single.tree()
        single.run(*RESUME).ends(1, err="error[config-invalid]")
        assert_unchanged(single, before)


def test_a_host_that_is_not_trusted_gets_no_request(completed: Project) -> None:
    completed.extra["UNLATCH_TRUSTED_HOSTS"] = None
    done = completed.run(*RESUME, "--json").ends(3)
    shown = completed.run("show", "7").ends(0)
    linked = completed.run("link", "7", completed.urls["github"])
    assert {"host-not-trusted"} == {e["error"]["id"] for e in done.document["trackers"]}
    assert all("UNLATCH_TRUSTED_HOSTS" in e["error"]["hint"] for e in done.document["trackers"])
    assert shown.out.count("is not a host that a token for ") == 3
    assert_refused(linked, 1, "host-not-trusted")
    assert completed.sent() == []
    assert completed.metadata()["status"] == "active"


@pytest.mark.skipif(sys.platform == "darwin" and os.geteuid() == 0, reason="root writes anywhere")
def test_a_read_only_folder(completed: Project) -> None:
    before = completed.tree()
    completed.folder().chmod(0o555)
    try:
        with unprivileged():
            done = completed.run(*RESUME)
    finally:
        completed.folder().chmod(0o755)
    assert_refused(done, 1, "not-writable")
    assert_unchanged(completed, before)
    assert completed.states() == CLOSED


def test_a_file_that_may_not_be_read(single: Project) -> None:
    path = single.folder() / "metadata.json"
    path.chmod(0o000)
    try:
        with unprivileged():
            done = single.run(*RESUME)
    finally:
        path.chmod(0o644)
    assert_refused(done, 1, "metadata-unreadable")


@pytest.mark.sweep
def test_a_stream_that_cannot_encode_the_signs(single: Project) -> None:
    single.extra["PYTHONIOENCODING"] = "ascii"
    done = single.process(*RESUME).ends(0)
    assert done.said.isascii()
    assert sum(line.startswith("OK ") for line in done.out.splitlines()) == 2
    for encoding in ("cp1252", "utf-16"):
        single.extra["PYTHONIOENCODING"] = encoding
        assert single.process("list", "--all", "--json").code == 0, encoding
