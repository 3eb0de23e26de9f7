"""What a briefing takes from the conversations of agents with people: once, and as corrected."""

import json
import os

import pytest
from tests.cli.project import Project
from tests.cli.work.test_briefing_content import LOG, do, effort, known
from tests.unlatch_agents.transcripts.lines import Session, calls, said, write

PARAGRAPH = "Excel needs a mark. I decided to write utf-8-sig. `csv` does the rest."
DECISION = "I decided to write utf-8-sig."


def imported(project: Project, made: Session) -> dict[str, list[str]]:
    """The briefing after the import of a transcript of work on the increment."""
    project.increment()
    path = write(project.home / ".claude/projects/-demo/s1.jsonl", made.lines)
    os.utime(path, (1_700_000_000, 1_700_000_000))
    do(project, "session", "import", str(path))
    (log,) = (project.home / "state").rglob("imports/*.md")
    do(project, "session", "link", log.stem, "7", "--imported")
    return known(project)


def transcript(project: Project) -> Session:
    made = Session(cwd=str(project.root))
    made.ask("Export the table")
    return made


@pytest.mark.parametrize("is_asked", [False, True])
def test_a_decision_that_the_user_overrules_is_marked(project: Project, *, is_asked: bool) -> None:
    made = transcript(project)
    made.reply("m1", said("We decided to use semicolons."), calls("t1", command="make"))
    made.result("t1", "done")
    made.reply("m2", said(f"{PARAGRAPH}{' Is that right?' * is_asked}"))
    made.ask("no, use utf-8 without BOM")
    made.reply("m3", said("Done."))
    words = "no, use utf-8 without BOM" + " (correction)" * (not is_asked)
    assert imported(project, made)["decisions"] == [
        words,
        f"(overruled) {DECISION}",
        "We decided to use semicolons.",
    ]


@pytest.mark.parametrize("has_calls", [False, True])
@pytest.mark.parametrize("words", [DECISION, "I settled on utf-8-sig."])
def test_a_decision_before_another_message_is_not_marked(
    project: Project, words: str, *, has_calls: bool
) -> None:
    made = transcript(project)
    made.reply("m1", said(words))
    if has_calls:
        made.reply("m2", calls("t1", command="npm install"))
        made.result("t1", "done")
    made.reply("m3", said("The packages come with npm."))
    made.ask("no, use pnpm instead of npm")
    found = imported(project, made)
    assert found["decisions"] == ["no, use pnpm instead of npm (correction)", words]


def test_words_that_overrule_nothing(project: Project) -> None:
    made = transcript(project)
    harmless = ("no problem, go on", "not sure yet", "don't worry", "thanks")
    for number, words in enumerate(harmless):
        made.reply(f"m{number}", said(f"I decided to write part {number}."))
        made.ask(words)
    found = imported(project, made)["decisions"]
    assert found == [f"I decided to write part {n}." for n in reversed(range(len(harmless)))]


def test_a_decision_in_an_effort_is_overruled(project: Project) -> None:
    project.increment()
    effort(project, [])
    said = (("assistant", DECISION), ("user", "Actually utf-8 without BOM."), ("user", "Go."))
    with (project.root / LOG).open("a") as file:
        file.writelines(json.dumps({"role": role, "content": it}) + "\n" for role, it in said)
    words = "Actually utf-8 without BOM. (correction)"
    assert known(project)["decisions"] == [words, f"(overruled) {DECISION}"]


def test_identifiers_in_json_of_calls_are_verbatim(project: Project) -> None:
    made = transcript(project)
    question = {"question": "Plan\n1 or EXPORT_ENCODING\n2?", "multiSelect": False, "weight": 0.4}
    made.reply("m1", calls("t1", questions=[question]), calls("t2", command="sleep 0.4 a_b"))
    made.reply("m2", calls("t3", old='x = "c_d"\n', new="e_f\n" + "long " * 200 + "g_h"))
    assert set(imported(project, made)["identifiers"]) == {"EXPORT_ENCODING", "a_b", "c_d", "e_f"}
