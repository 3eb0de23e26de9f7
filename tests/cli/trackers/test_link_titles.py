"""--suggest compares titles in any script, and --file reads what it prints."""

import pytest
from tests.cli.project import Project

from unlatch.lifecycle.linking.file import read_rows

NAME = "0036-audit"


def suggest(project: Project, mine: str, theirs: str) -> list[str]:
    """The lines for an increment and an issue with these titles."""
    project.box.github.add_issue(number=4, title=theirs)
    project.increment(NAME, links={})
    (project.folder(NAME) / "spec.md").write_text(f"# {mine}\n", encoding="utf-8")
    done = project.run("link", "--suggest").ends(0)
    return done.out.splitlines()


# Titles of an increment and of an issue, by whether both have the same words.
TITLES = {
    True: [
        ("Locale Audit (v36)", "Locale audit v36"),
        ("Locale audit: v37!", "[locale audit] v37"),
        ("Don't log twice", "Don\u2019t log twice"),
        ("Fix \ufb01le names", "Fix: file names"),
        ("\uff2c\uff4f\uff43\uff41\uff4c\uff45 \uff13\uff18", "(Locale 38)"),
        ("Cafe\u0301 menu", "Caf\u00e9-menu"),
        ("Stra\u00dfe - Suche", "STRASSE SUCHE"),
        ("\u76e3\u67fb\uff08v36\uff09", "\u76e3\u67fb v36"),
        ("\u0939\u093f\u0928\u094d\u0926\u0940!", "\u0939\u093f\u0928\u094d\u0926\u0940"),
        ("Support C++ (all of it)", "support C++: all of it"),
        ("\U0001f680 Launch", "Launch!"),
    ],
    False: [
        ("Locale audit v36", "Locale audit v37"),
        ("Support C++", "Support C#"),
        ("\u0939\u093f\u0928", "\u0939\u0940\u0928"),
        ("\u76e3\u67fb", "\u691c\u67fb"),
        ("\U0001f680", "\u2728"),
        ("Audit", "The audit"),
    ],
}  # fmt: skip


@pytest.mark.parametrize("same", TITLES)
def test_titles_with_the_same_words_are_proposed_with_the_evidence(
    project: Project, *, same: bool
) -> None:
    expected = set()
    for number, (mine, theirs) in enumerate(TITLES[same], 101):
        project.box.github.add_issue(number=number, title=theirs)
        name = project.increment(f"{number:04}-some-work", links={})
        (project.folder(name) / "spec.md").write_text(f"# {mine}\n", encoding="utf-8")
        url = project.urls["github"].replace("/4", f"/{number}")
        expected.add(f'{name} {url} # the same words as "{mine}": {theirs}')
    done = project.run("link", "--suggest").ends(0)
    assert (expected if same else set()) == {*done.out.splitlines()}


def test_a_hostile_title_stays_text_in_the_evidence(project: Project) -> None:
    (line,) = suggest(project, "=HYPERLINK 1 \u0007", "=HYPERLINK(1)")
    assert (True, False) == (line.endswith(": =HYPERLINK(1)"), "\u0007" in line)


@pytest.mark.parametrize(
    ("line", "row"),
    [
        ("7 https://example.com/a,b;c", ("7", "https://example.com/a,b;c")),
        ("  7\t#4\r", ("7", "#4")),
        (
            "task-1 - Log out https://example.com/4#c # the task",
            ("task-1 - Log out", "https://example.com/4#c"),
        ),
        ("7 octo/widgets#4 #", ("7", "octo/widgets#4")),
        (" 7  fabrikam/widgets 101 ", ("7", "fabrikam/widgets 101")),
    ],
)
def test_a_line_is_an_increment_and_an_item(line: str, row: tuple[str, str]) -> None:
    assert ([(2, *row)], []) == read_rows(f"\n{line}\n# a comment\n")


def test_a_line_of_one_word_is_a_mistake_with_its_number() -> None:
    assert ([], ["line 3: expected ID URL"]) == read_rows("\n\n7,https://example.com/4\n")
