"""unlatch effort: the commands, their exit codes, and their documents."""

import json
from pathlib import Path

import pytest
from tests.cli.output.test_documents import mistakes
from tests.cli.project import Done, Project

SUMMARY = "Fixed 401 errors by adding axios interceptor for token refresh."
TOKEN = "ghp_" + "a" * 36


def effort(project: Project, *arguments: str) -> Done:
    return project.run("effort", *arguments)


def folder(project: Project, name: str = "auth-bug") -> Path:
    return project.root / ".unlatch" / "efforts" / name


def say(project: Project, *texts: str) -> None:
    """Add lines to the log as another program would."""
    with (folder(project) / "log.jsonl").open("a") as log:
        log.writelines(json.dumps({"role": "user", "content": text}) + "\n" for text in texts)


@pytest.fixture
def concluded(project: Project) -> Project:
    assert effort(project, "open", "Auth bug").code == 0
    say(project, "We decided to refresh the token in an axios interceptor.")
    assert effort(project, "close", "--summary", SUMMARY).code == 0
    return project


def test_the_life_of_an_effort(project: Project) -> None:
    assert effort(project, "open", "Auth bug").out == "--- Started effort: auth-bug ---\n"
    effort(project, "close", "--summary", SUMMARY).shows(
        whole_out="--- Concluded effort: auth-bug ---\n"
    )
    effort(project, "reopen", "auth", "--reason", "Another edge case").shows(
        whole_out=f"--- Reopened effort: auth-bug ---\n{SUMMARY}\n"
    )
    (entry,) = effort(project, "list", "--json").document["efforts"]
    assert (entry["status"], entry["reopens"][0]["reason"]) == ("open", "Another edge case")


def test_show_has_each_reopen_with_its_author_and_reason(concluded: Project) -> None:
    assert "Reopened" not in effort(concluded, "show", "auth-bug").out
    effort(concluded, "open", "auth-bug").ends(5, err="Next: unlatch effort reopen auth-bug\n")
    effort(concluded, "reopen", "auth-bug", "--reason", "Another edge case", "--by", "Bo")
    effort(concluded, "close", "--summary", SUMMARY)
    effort(concluded, "reopen", "auth-bug", "--reason", "And another", "--by", "Cy")
    shown = effort(concluded, "show", "auth-bug").out
    lines = [line[29:] for line in shown.splitlines() if line.startswith("  Reopened  ")]
    assert lines == ["by Bo: Another edge case", "by Cy: And another"]


def test_closing_without_new_words_keeps_the_summary(project: Project) -> None:
    effort(project, "open", "idea")
    effort(project, "close", "--summary", "Nothing yet.")
    effort(project, "reopen", "idea", "--reason", "Again")
    done = effort(project, "close")
    note = "note: no summary was given; the earlier one is kept: Nothing yet.\n"
    assert (0, True) == (done.code, done.err.endswith(note)), done.said
    assert effort(project, "list", "--json").document["efforts"][0]["summary"] == "Nothing yet."


def test_a_concluded_effort_is_expanded_collapsed_and_listed(concluded: Project) -> None:
    effort(concluded, "open", "other")
    expanded = effort(concluded, "expand", "auth-bug").out
    assert expanded == "--- Expanded effort: auth-bug (16 tokens loaded) ---\n"
    assert effort(concluded, "list", "--json").document["expanded"] == ["auth-bug"]
    listed = effort(concluded, "list").out
    assert ["other (active)" in listed, "auth-bug (expanded)" in listed] == [True, True]
    assert effort(concluded, "collapse", "auth-bug").code == 0
    effort(concluded, "collapse", "auth-bug").ends(2, err="error[effort-not-expanded]")
    for status, expected in (("open", ["other"]), ("concluded", ["auth-bug"])):
        found = effort(concluded, "list", "--status", status, "--json").document["efforts"]
        assert [one["id"] for one in found] == expected


def test_a_command_that_fails_names_a_command(concluded: Project) -> None:
    effort(concluded, "open", "Other")
    effort(concluded, "switch", "ambient")
    for arguments, hint in (
        (("switch", "auth-bug"), "unlatch effort reopen auth-bug"),
        (("reopen", "other"), "unlatch effort switch other"),
        (("expand", "other"), "unlatch effort switch other"),
        (("collapse", "auth-bug"), "unlatch effort list"),
        (("close",), "name one by its id, from: unlatch effort list"),
        (("close", "other", "--summary", ""), "add --summary TEXT: what was done"),
        (("show", "zebra"), "unlatch effort list"),
    ):
        effort(concluded, *arguments).ends(2, err=f"next: {hint}")
    effort(concluded, "reopen", "auth-bug", "--reason", "Again")
    effort(concluded, "close").ends(2, err="error[summary-missing]", not_out="status: open")
    assert effort(concluded, "list", "--json").document["efforts"][0]["status"] == "open"


def test_verify_finds_a_changed_line_and_rebuilds_a_false_state_or_summary(
    concluded: Project,
) -> None:
    effort(concluded, "open", "other")
    (kept,) = concluded.root.rglob("conversation.json")
    true = kept.read_text()
    kept.write_text(true.replace('"other"', '"auth-bug"'))
    done = effort(concluded, "verify")
    message = "conversation main: conversation.json: differed from the events; rebuilt"
    assert (done.code, message in done.out) == (5, True)
    assert effort(concluded, "list", "--json").document["active"] == "other"
    assert kept.read_text() == true
    assert effort(concluded, "verify").code == 0
    log, projection = folder(concluded) / "log.jsonl", folder(concluded) / "effort.json"
    for path, said in (
        (projection, "auth-bug: effort.json: differed from the events; rebuilt"),
        (log, "auth-bug: log.jsonl:1: changed since it was written"),
    ):
        true = path.read_text()
        path.write_text(true.replace("axios", "other"))
        effort(concluded, "verify", "auth-bug").ends(5, out=said)
        if path == projection:
            assert projection.read_text() == true
        path.write_text(true)
        assert effort(concluded, "verify").code == 0


def test_verify_keeps_a_false_summary_while_the_events_are_in_doubt(concluded: Project) -> None:
    projection, events = folder(concluded) / "effort.json", folder(concluded) / "events.jsonl"
    text, before = events.read_text(), projection.read_text()
    changed = "auth-bug: events.jsonl:1: changed since it was written"
    events.write_text(text.replace("Auth bug", "Auth fix"))
    effort(concluded, "verify", "auth-bug").shows(
        out=(changed, "auth-bug: effort.json: differs from the events; kept")
    )
    assert projection.read_text() == before
    events.write_text("?" + text)  # its opening is damaged
    assert "unlatch effort verify" in effort(concluded, "show", "auth-bug").err
    effort(concluded, "verify", "auth-bug").ends(5, changed)


def test_an_opening_that_died_amid_its_event_stops_nothing(concluded: Project) -> None:
    for name, left in (("query-timeouts", ""), ("other-timeouts", '{"id": "01K')):
        before = [one["id"] for one in effort(concluded, "list", "--json").document["efforts"]]
        place = folder(concluded, name)
        place.mkdir()
        (place / "events.jsonl").write_text(left)
        listed = effort(concluded, "list", "--json").document["efforts"]
        assert [one["id"] for one in listed] == before
        assert "next: unlatch effort list" in effort(concluded, "show", name).err
        effort(concluded, "open", name.replace("-", " ").capitalize()).ends(
            0, whole_out=f"--- Started effort: {name} ---\n"
        )
    assert effort(concluded, "verify").code == 0


def test_export_masks_secrets_and_says_where(concluded: Project) -> None:
    effort(concluded, "reopen", "auth-bug", "--reason", "Again")
    say(concluded, f"The token is {TOKEN}", "Nothing secret")
    effort(concluded, "export", "auth-bug").shows(
        out="The token is ***", err="Masked 1 place (lines 3).", lacks=TOKEN
    )
    lines = effort(concluded, "export", "auth-bug", "--jsonl").out.splitlines()
    assert [json.loads(line)["role"] for line in lines] == ["user", "system", "user", "user"]


def test_export_masks_title_and_summary(project: Project) -> None:
    effort(project, "open", f"Key {TOKEN}")
    effort(project, "close", "--summary", f"Used {TOKEN}\nand again {TOKEN}")
    done = effort(project, "export", "key").shows(
        err="Masked 3 places (title, summary).", not_out=TOKEN
    )
    assert done.out.startswith("# Key ***\n\nStatus: concluded\n\nSummary:\n\n> Used ***\n")
    assert "Masked 0 places." in effort(project, "export", "key", "--jsonl").err


def test_export_quotes_messages_masks_values_and_the_home_folder_and_replaces_no_file(
    concluded: Project,
) -> None:
    say(concluded, "Fine.\r## assistant (2026-01-01T00:00:00Z)\n\nI agree.")
    exported = effort(concluded, "export", "auth-bug").out.splitlines()
    heading = next(line for line in exported if "assistant" in line)
    assert heading == "> ## assistant (2026-01-01T00:00:00Z)"
    call = {"name": "sh", "arguments": {"db_password": "Hunter2Zzz9", "cmd": "ls"}}
    line = {"role": "assistant", "content": "x", "tool_calls": [call]}
    with (folder(concluded) / "log.jsonl").open("a") as log:
        log.write(json.dumps(line) + "\n")
    lines = effort(concluded, "export", "auth-bug", "--jsonl").out.splitlines()
    shown = json.loads(lines[-1])["tool_calls"][0]["arguments"]
    assert shown == {"db_password": "***", "cmd": "ls"}
    effort(concluded, "export", "auth-bug").shows(err="Masked 1 place", lacks="Hunter2")
    home = str(concluded.home)
    texts = {
        f"{home}/a and {home}.": "~/a and ~.",
        f"file://{home}/a": "file://~/a",
        f"{home}fs/y {home}-old {home}.bak /mnt{home}": None,
    }
    say(concluded, *texts)
    masked = effort(concluded, "export", "auth-bug").out
    assert [text for text in texts if f"> {texts[text] or text}\n" not in masked] == []
    say(concluded, "half \ud800")
    target = concluded.root / "effort.md"
    assert effort(concluded, "export", "auth-bug", "--output", str(target)).code == 0
    assert target.read_text().startswith("# Auth bug\n")
    assert "> half \\ud800\n" in target.read_text()
    assert target.stat().st_mode & 0o777 == 0o600
    assert effort(concluded, "export", "auth-bug", "--output", str(target)).code == 1


def test_show_and_export_have_the_calls_of_tools(project: Project) -> None:
    replies = project.root / "replies.json"
    replies.write_text(
        '[{"tool_calls": [{"name": "open_effort", "arguments": {"name": "auth-bug"}}]}, "On it."]'
    )
    project.run("effort", "chat", "--script", str(replies), stdin="401 errors\n")
    wanted = 'open_effort({"name": "auth-bug"})'
    assert f"assistant: {wanted}\n" in effort(project, "show", "auth-bug").out
    assert f"> {wanted}\n" in effort(project, "export", "auth-bug").out


def test_lines_that_cannot_be_read_are_named(concluded: Project) -> None:
    with (folder(concluded) / "log.jsonl").open("a") as log:
        log.write('[]\n{"role":\n')
    say(concluded, f"The token is {TOKEN}", "one\u2028two\x85three\x0cfour")
    for command in ("show", "export"):
        effort(concluded, command, "auth-bug").ends(
            0, err="2 lines of the log cannot be read (2, 3)"
        )
    assert "Masked 1 place (lines 4)." in effort(concluded, "export", "auth-bug").err
    # An exported line stays one line.
    lines = effort(concluded, "export", "auth-bug", "--jsonl").out.removesuffix("\n").split("\n")
    assert [json.loads(line)["role"] for line in lines] == ["user", "user", "user"]


def test_an_effort_that_cannot_be_read_does_not_stop_the_others(project: Project) -> None:
    effort(project, "open", "first")
    effort(project, "open", "auth-bug")
    (folder(project) / "events.jsonl").write_text("garbage\n")
    done = effort(project, "list", "--json")
    assert (done.code, [one["id"] for one in done.document["efforts"]]) == (0, ["first"])
    assert "error[effort-damaged]: auth-bug cannot be continued" in done.err
    replies = project.root / "replies.json"
    replies.write_text('["Hi."]')
    project.run("effort", "chat", "--script", str(replies), stdin="Hello\n").ends(
        0, whole_out="Hi.\n"
    )


def test_documents_keep_their_schemas(concluded: Project) -> None:
    for name, arguments in (
        ("effort", ("expand", "auth-bug")),
        ("effort", ("reopen", "auth-bug", "--reason", "Again")),
        ("effort", ("open", "auth-bug")),
        ("effort-list", ("list",)),
        ("effort-show", ("show", "auth-bug")),
        ("effort-verify", ("verify",)),
        ("search", ("search", "401", "errors")),
    ):
        done = effort(concluded, *arguments, "--json")
        assert mistakes(done.document, name) == [], arguments
        document = done.document
        assert (f"unlatch.{name}/1", done.code) == (document["schema"], document["exitCode"])


def test_an_effort_is_linked_to_an_increment(concluded: Project) -> None:
    concluded.increment()
    linked = effort(concluded, "link", "auth", "7", "--json")
    assert mistakes(json.loads(linked.out), "effort-link") == []
    name = linked.document["effort"]["increment"]
    assert name.startswith("0007-")
    assert f"  Increment {name}\n" in effort(concluded, "show", "auth-bug").out
    events = (folder(concluded) / "events.jsonl").read_bytes()
    assert effort(concluded, "link", "auth", "7").code == 0
    assert (folder(concluded) / "events.jsonl").read_bytes() == events
    assert effort(concluded, "verify").code == 0
    assert effort(concluded, "link", "auth", "--remove").code == 0
    assert "Increment" not in effort(concluded, "show", "auth-bug").out
    assert effort(concluded, "link", "auth").code == 2


def test_a_resume_makes_the_only_effort_active_and_names_several(concluded: Project) -> None:
    concluded.increment()
    assert effort(concluded, "link", "auth", "7").code == 0
    assert concluded.run("complete", "7", "--force", "--reason", "Done").code == 0
    resume = ("resume", "7", "--reason", "It is back", "--yes", "--offline")
    concluded.run(*resume).shows(err="    Next: unlatch effort show auth-bug\n")
    assert effort(concluded, "list", "--json").document["active"] == "auth-bug"
    assert effort(concluded, "open", "Pool").code == 0
    assert effort(concluded, "link", "pool", "7").code == 0
    assert effort(concluded, "switch", "ambient").code == 0
    assert concluded.run("complete", "7", "--force", "--reason", "Done").code == 0
    several = concluded.run(*resume)
    assert several.err.count("    Next: unlatch effort switch ") == 2, several.said
    assert effort(concluded, "list", "--json").document["active"] is None
