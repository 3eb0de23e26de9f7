"""Bad input: a clear error with an id and a hint, the right exit code, nothing half done."""

import os
import sys
from pathlib import Path

import pytest
from tests.cli.project import CLOSED, NAME, OPEN, REASON, Project
from tests.cli.refusing import assert_refused, assert_unchanged
from tests.cli.setup.own_config import own_config
from tests.cli.setup.unprivileged import unprivileged

RESUME = ("resume", "7", "--reason", REASON, "--yes")


def test_an_unknown_id(single: Project) -> None:
    before = single.tree()
    for command in ("resume", "complete", "show", "history", "sync", "link"):
        more = [single.urls["github"]] if command == "link" else []
        for wanted in ("8", "smrt", "no such", "../0007-smart-discipline", "-0"):
            done = single.run(command, "--", wanted, *more)
            assert_refused(done, 2, "unknown-increment")
            assert "next: unlatch list --all" in done.err, (command, wanted)
    assert_unchanged(single, before)
    assert single.sent() == []


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


def test_a_configuration_with_three_mistakes_has_all_of_them_told(single: Project) -> None:
    single.configure(MISTAKES)
    before = single.tree()
    for command in (
        *(RESUME, (*RESUME, "--offline"), ("complete", "7"), ("sync", "7")),
        *(("link", "7", "http://x/1"), ("github", "reopen-issue", "7"), ("auth", "status")),
    ):
        done = single.run(*command)

        assert_refused(done, 1, "config-invalid")
        assert "the configuration has 3 mistakes" in done.err
        listed = [line for line in done.err.splitlines() if line.startswith("  - ")]
        places = [line.removeprefix("  - ").partition(":")[0] for line in listed]
        assert places == ["comment", "labels.reopend", "trackers.github.repository"], command
        assert str(single.root / ".unlatch" / "config.toml") in done.err
    document = single.run(*RESUME, "--json").document
    assert document["schema"] == "unlatch.error/1"
    assert len(document["error"]["problems"]) == 3
    assert_unchanged(single, before)
    assert single.sent() == []


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


def test_the_user_may_trust_a_host_and_the_repository_may_not(single: Project) -> None:
    hosts = single.extra["UNLATCH_TRUSTED_HOSTS"] = None
    named = (one.split("=") for one in single.box.environ()["UNLATCH_TRUSTED_HOSTS"].split(","))
    trusted = "\n".join(f"trusted_hosts.{tracker} = ['{host}']" for tracker, host in named)
    single.configure_more(trusted)
    refused = single.run(*RESUME)
    single.configure_more()
    own_config(single, trusted)
    single.run(*RESUME).ends(0)
    assert hosts is None
    assert_refused(refused, 1, "config-invalid")


def test_a_target_outside_the_configured_ones(completed: Project) -> None:
    completed.configure(completed.box.config().replace("octo/widgets", "octo/gadgets"))
    done = completed.run(*RESUME, "--json").ends(3)
    entry = done.document["trackers"][0]
    assert (entry["tracker"], entry["error"]["id"]) == ("github", "target-not-allowed")
    assert "[trackers.github]" in entry["error"]["hint"]
    assert completed.states() == {**OPEN, "github": "closed"}
    # A single read finds out whether it was renamed.
    assert [one.method for one in completed.box.requests.entries("github")] == ["GET"]


def test_a_tracker_that_is_not_configured(completed: Project) -> None:
    completed.configure(f"settle = 0\n{completed.box.github.config()}")
    done = completed.run(*RESUME, "--json").ends(3)
    assert [entry["error"]["id"] for entry in done.document["trackers"][1:]] == [
        "tracker-not-configured"
    ] * 2
    assert completed.states() == {**CLOSED, "github": "open"}


@pytest.mark.parametrize(
    ("tracker", "library"),
    [
        ("github", "github"),
        *(
            pytest.param(*one, marks=pytest.mark.sweep)
            for one in (("ado", "azure"), ("jira", "jira"))
        ),
    ],
)
def test_a_missing_extra_says_which_command_adds_it(
    completed: Project, tmp_path: Path, tracker: str, library: str
) -> None:
    # What pip has not installed, no finder finds.
    (tmp_path / "sitecustomize.py").write_text(
        "import sys\n"
        "from importlib.machinery import PathFinder\n"
        "class Without(PathFinder):\n"
        "    @classmethod\n"
        "    def find_spec(cls, name, path=None, target=None):\n"
        f"        if name.partition('.')[0] == {library!r}:\n"
        "            return None\n"
        "        return PathFinder.find_spec(name, path, target)\n"
        "sys.meta_path = [Without if f is PathFinder else f for f in sys.meta_path]\n"
    )
    completed.extra["PYTHONPATH"] = str(tmp_path)
    done = completed.process(*RESUME, "--json", cold=True).ends(3)
    outcomes = {entry["tracker"]: entry for entry in done.document["trackers"]}
    error = outcomes.pop(tracker)["error"]
    assert error["id"] == "extra-missing"
    assert f" -m pip install 'unlatch[{tracker}]'" in error["hint"]
    assert {"reopened"} == {entry["outcome"] for entry in outcomes.values()}
    assert f"needs unlatch[{tracker}]" in completed.process("plugins", cold=True).out


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


def test_a_stream_that_cannot_encode_the_signs(completed: Project) -> None:
    completed.extra["PYTHONIOENCODING"] = "ascii"
    done = completed.process(*RESUME).ends(0)
    assert done.said.isascii()
    assert sum(line.startswith("OK ") for line in done.out.splitlines()) == 4
    for encoding in ("latin-1", "cp1252", "utf-16"):
        completed.extra["PYTHONIOENCODING"] = encoding
        assert completed.process("list", "--all", "--json").code == 0, encoding


def test_an_error_is_documented_on_demand(single: Project) -> None:
    done = single.run("resume", "8", "--json")

    assert done.code == 2
    document = done.document
    assert (document["schema"], document["exitCode"]) == ("unlatch.error/1", 2)
    assert {"id", "message", "where", "hint"} <= set(document["error"])
    assert document["error"]["id"] == "unknown-increment"


def test_a_traceback_is_shown_on_demand_alone(single: Project) -> None:
    plain = single.process("resume", "8")
    debugged = single.process("--debug", "resume", "8")
    assert "Traceback" not in plain.err
    assert "Traceback" in debugged.err
    assert plain.code == debugged.code == 2
