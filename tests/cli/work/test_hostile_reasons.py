"""Reasons that are empty, endless, or meant to do something on their way."""

import html
import json
import re

import pytest
from markdown_it import MarkdownIt
from tests.cli.project import NAME, OPEN, Project
from tests.cli.refusing import assert_refused, assert_unchanged

from unlatch_sandbox.jira import adf


def test_an_empty_or_endless_reason_changes_nothing(single: Project) -> None:
    before = single.tree()
    for reason in ("", " ", "\n\t \n", "\u3000"):
        for more in ((), ("--json",), ("--offline",), ("--dry-run",)):
            single.run("resume", "7", "--reason", reason, "--yes", *more).ends(
                2, err="error[reason-missing]: the reason is empty"
            )
    done = single.run("resume", "7", "--reason", "x" * 100_000, "--yes")
    assert_refused(done, 2, "reason-too-long")
    assert "100,000 characters" in done.err
    assert_unchanged(single, before)


HOSTILE = {
    "end of comment": "a --> b <!-- c",
    "replacement": "costs $& or \\1 or \\g<0> or ${HOME} {reason} {0} %s",
    "quotes": 'it\'s "so" `called` \u2018quoted\u2019',
    "newlines": "first\nsecond\r\n\r\nthird\n# heading\n- item\n> quote\n    code",
    "controls": "be\x07ep \x1b[2J\x00 \x9b31m del\x7f bidi \u202etxt",
    "mentions": "@all @octocat @octo/team #1 GH-2 octo/widgets#3 !m",
    "jira": "h1. {code}x{code} [~admin] |a| ||b|| *b* _i_ -s- +u+ ^s^ {panel} !img! bq. ----",
    "html": "<script>alert(1)</script> <img src=x onerror=y> &amp; &lt;b&gt; <b>bold</b>",
    "markdown": "**bold** [link](javascript:alert(1)) ![i](http://x/y) ~~s~~ `c` | t | $x$",
    "workflow commands": "::error::x\n##vso[task.setvariable variable=a]b\n::add-mask::c",
    "marker": f"<!-- unlatch:op={'01JC'.ljust(26, '0')} --> unlatch ref {'01JC'.ljust(26, '0')}",
    "longest": "y" * 10_000,
    "sql": "'; DROP TABLE issues; -- \" OR 1=1 project = X ORDER BY",
    "unicode": "日本語 العربية 👩‍👩‍👧 e\u0301 \u00e9",
}
COLOURS = re.compile("(?:\x1b\\[|\x9b)[0-9;]*[A-Za-z]")
DROPPED = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def words(text: str) -> list[str]:
    """A text without line breaks, colours and control characters."""
    return DROPPED.sub("", COLOURS.sub("", text)).replace("\u200b", "").split()


def shown_by_github(comment: str) -> str:
    """A comment as HTML, by an independent reader of Markdown."""
    reader = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    return str(reader.render(comment))


@pytest.mark.sample(at=(2,))
@pytest.mark.parametrize("name", HOSTILE)
def test_whatever_a_reason_holds_arrives_and_does_nothing(completed: Project, name: str) -> None:
    reason = HOSTILE[name]
    completed.run("resume", "7", "--reason", reason, "--yes").ends(0)
    assert completed.states() == OPEN
    (entry,) = completed.metadata()["reopenHistory"]
    assert reason.strip() == entry["reason"]
    comments = completed.comments()
    assert [len(found) for found in comments.values()] == [1, 1, 1]
    github = comments["github"][0]
    shown = shown_by_github(github)
    assert f"\n<!-- unlatch:op={entry['id']} -->" == shown[shown.index("\n<!--") :]
    assert {"<p>", "</p>", "<strong>", "</strong>", "<br />"} >= tags(shown.partition("<!--")[0])
    assert words(reason) == words(_between(shown.partition("\n<!--")[0]))
    assert not re.search(r"[@#](?=\w)|\bGH-(?=\d)", html.unescape(shown))
    assert not DROPPED.search(github)
    ado = comments["ado"][0]
    assert {"<p>", "</p>", "<b>", "</b>", "<br>"} >= tags(ado)
    assert words(reason) == words(_between(ado))
    assert not DROPPED.search(ado)
    (body,) = [c["body"] for c in completed.box.jira.comments("SCRUM-28")]
    assert words(reason) == words(_between(html.escape(adf.to_text(body))))
    assert {"doc", "paragraph", "text", "hardBreak"} >= _kinds(body)
    assert not DROPPED.search(json.dumps(body, ensure_ascii=False))


def tags(fragment: str) -> set[str]:
    return set(re.findall(r"<[^>]*>", fragment))


def _between(comment: str) -> str:
    """The reason within a comment in HTML: after the headline, before who and when."""
    text = html.unescape(re.sub(r"<[^>]*>", "\n", comment))
    said = text.partition("Reopened")[2].rpartition(f"Increment {NAME}")[0]
    return said.strip().removeprefix(":")


def _kinds(node: dict[str, object]) -> set[str]:
    children = node.get("content")
    inner = [_kinds(child) for child in children] if isinstance(children, list) else []
    return {str(node["type"])}.union(*inner)


@pytest.mark.sample(at=(0,))
@pytest.mark.parametrize("name", ["controls", "workflow commands"])
def test_a_reason_that_is_shown_does_not_act(single: Project, name: str) -> None:
    single.run("resume", "7", "--reason", HOSTILE[name], "--yes", "--by", "Da\x1b[31mna")
    for command in (["show", "7"], ["history", "7"]):
        done = single.run(*command).ends(0)
        assert not DROPPED.search(done.said.replace("\n", ""))
        assert not re.search(r"(?m)^\s*(::|##vso)", done.said)
