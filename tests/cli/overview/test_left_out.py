"""Increments that cannot be read: an answer without them says so, and ends with 5."""

import pytest
from tests.cli.project import NAME, REASON, Project

COMMANDS = [
    ("history", "--all"),
    ("list", "--status", "completed"),
    ("list", "--status", "active"),
    ("github", "status"),
    ("link", "--suggest"),
    ("resume", "--all-matching", "status=completed", "--reason", REASON, "--yes"),
]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: " ".join(command[:3]))
def test_an_answer_without_some_increments_names_them(
    single: Project, command: tuple[str, ...]
) -> None:
    path = single.folder() / "metadata.json"
    before = path.read_bytes()
    single.run(*command).ends(0, lacks="cannot be read")
    path.write_bytes(before)
    for number in range(8, 15):
        single.increment(f"{number:04}-broken", status="shipped")
    single.run(*command).ends(
        5,
        err="note: 7 increments cannot be read and are left out: 0008-broken, 0009-broken, "
        "0010-broken, 0011-broken, 0012-broken and 2 more\n  next: unlatch doctor\n",
    )


def test_scripts_read_which_are_missing_and_lists_show_them(single: Project) -> None:
    single.increment("0008-broken", status="shipped")
    resume = ("resume", "--all-matching", "status=completed", "--reason", REASON, "--yes")
    document = single.run("history", "--all", "--json").document
    done = single.run(*resume, "--json")
    (broken,) = document["broken"]
    assert (5, 1, "0008-broken") == (document["exitCode"], document["increments"], broken["id"])
    assert {"reason", "hint"} <= broken.keys()
    assert (5, 5) == (done.code, done.document["exitCode"])
    assert "active" == single.metadata(NAME)["status"]
    for command in ("list", "status"):
        single.run(command).ends(0, out="0008-broken")
