"""The published limits of a token hold for all processes of a machine together."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from tests.cli.project import REASON, Project
from tests.delivery.stage import add_issue


def reservations(project: Project) -> Path:
    return project.home / "state" / "unlatch" / "requests" / "requests.sqlite"


def send_many_more(project: Project, count: int) -> None:
    """Other processes send so many comments at the moment of the last one."""
    with closing(sqlite3.connect(reservations(project))) as database, database:
        row = database.execute("SELECT * FROM requests ORDER BY moment DESC").fetchone()
        database.executemany("INSERT INTO requests VALUES (?, ?, ?)", [row] * count)


@pytest.mark.sweep
def test_the_eighty_first_comment_of_a_minute_is_left(project: Project) -> None:
    names = ["0001-first", "0002-second", "0003-third"]
    numbers = [add_issue(project, name) for name in names]
    resume = [("--max-wait", "0", "resume", name, "--reason", REASON, "--yes") for name in names]
    first = project.run(*resume[0])
    send_many_more(project, 78)

    second, third = project.run(*resume[1]), project.run(*resume[2])

    assert [0, 0, 3] == [done.code for done in (first, second, third)], third.said
    sent = [len(project.box.github.comments("octo/widgets", number)) for number in numbers]
    assert [1, 1, 0] == sent
    assert "[rate-limited]" in third.out

    reservations(project).write_bytes(b"no database")
    assert project.run("--max-wait", "0", "sync", "--yes").code == 0
