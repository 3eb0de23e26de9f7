"""`unlatch show ID`, which click does not parse, says what the parsed command says."""

import shutil
from dataclasses import replace

from tests.cli.project import NAME, Done, Project

# Options before the command leave the line to the parser, and these change nothing.
PARSED = ("--max-wait", "60", "show")
WORDS = (
    "7",
    NAME,
    "smart",
    "twice",  # two have it in their names
    "octo/widgets#4",
    "SCRUM-28",
    "8",
    "12",  # its metadata.json is broken
    "99",
    "7-9",
    "smrat-discipline",
    "",
    "../7",
    "--",
    "ID",
    "run:x",
    "https://github.com/octo/widgets/issues/4",
    "naïve\x1b[31m",
)


def test_the_same_as_when_it_is_parsed(completed: Project) -> None:
    _fill(completed)
    for word in WORDS:
        plain = completed.run("show", word)
        assert plain == _parsed(completed, word), word
        assert plain.out or plain.err
    shutil.rmtree(completed.root / ".unlatch")
    for word in ("7", "nope"):
        assert _parsed(completed, word) == completed.run("show", word)


def _parsed(project: Project, word: str) -> Done:
    done = project.run(*PARSED, word)
    # Suggested commands keep the options.
    return replace(done, err=done.err.replace("--max-wait 60 ", ""))


def _fill(project: Project) -> None:
    project.run("resume", "7", "--reason", "Not done yet", "--yes")
    project.increment("0008-other-work", status="active")
    project.increment("0009-done-twice")
    project.increment("0010-said-twice", archived=True)
    broken = project.folder("0012-broken")
    broken.mkdir()
    (broken / "metadata.json").write_text("{")
