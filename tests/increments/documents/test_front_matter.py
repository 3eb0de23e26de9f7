import pytest
from hypothesis import given
from hypothesis import strategies as st

from unlatch.increments.documents.front_matter import status, title, with_status

SPEC = """\
---
increment: 0007-search
title: "Search: find \\"anything\\""
status: completed  # since Tuesday
owners:
  - name: Ada
    status: away
created: 2025-11-19
---

# Search

status: in the prose
"""


@pytest.mark.parametrize(
    ("line", "value", "after"),
    [
        ("status: completed", "completed", "status: active"),
        ("status : completed", "completed", "status : active"),
        ('status: "completed"', "completed", 'status: "active"'),
        ("status: 'completed' # old", "completed", "status: 'active' # old"),
        ("status: 'it''s done'", "it's done", "status: 'active'"),
        ('status: "a \\"b\\" \\u00e9"', 'a "b" é', 'status: "active"'),
        ('status: "\\x41"', "\\x41", 'status: "active"'),
        ("status: done#2", "done#2", "status: active"),
        ("status: ✅ done", "✅ done", "status: active"),
        ("status:", None, "status: active"),
        ("status:  # to be set", None, "status: active  # to be set"),
        ("status: ~", None, "status: active"),
        ("status: ''", "", "status: 'active'"),
    ],
)
def test_one_line_scalars(line: str, value: str | None, after: str) -> None:
    for bom, eol in (("", "\n"), ("\ufeff", "\r\n")):
        before = bom + eol.join(["---", "id: 7", line, "type: bug", "---", "# Text", ""])
        assert status(before) == value
        assert with_status(before, "active") == before.replace(eol + line + eol, eol + after + eol)


@pytest.mark.parametrize(
    "lines",
    [
        ["status: |", "  completed"],
        ["status:", "  completed"],
        ["status:", "  phase: completed"],
        ["status:", "- completed"],
        ["status: in", "  progress"],
        ['status: "in', '  progress"'],
        ["status: [completed]"],
        ["status: !!str completed"],
        ["status: *s"],
        ['status: "completed" indeed'],
        ["status:completed"],
        ["# status: completed"],
        ["  status: completed"],
        ["Status: completed"],
    ],
)
def test_anything_else_is_left_alone(lines: list[str]) -> None:
    text = "\n".join(["---", "id: 7", *lines, "---", "status: no", ""])
    assert status(text) is None
    assert with_status(text, "active") == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "---",
        "---\n",
        "---\nstatus: completed\n",
        "\n---\nstatus: completed\n---\n",
        " ---\nstatus: completed\n---\n",
        "--- # yaml\nstatus: completed\n---\n",
        "---\n---\nstatus: completed\n---\n",
        "# Search\n\n---\nstatus: completed\n---\n",
        "status: completed\n",
    ],
)
def test_without_front_matter_there_is_no_status(text: str) -> None:
    assert status(text) is None
    assert with_status(text, "active") == text


@pytest.mark.parametrize("odd", ["yes", "null", "1.0", "a: b", "a #b", "- a", "", "a\nb", "'", " "])
@pytest.mark.parametrize("old", ["x", "'x'", '"x"', ""])
def test_a_status_that_yaml_would_misread_is_quoted(odd: str, old: str) -> None:
    text = with_status(f"---\nstatus: {old} # why\nid: 7\n---\n", odd)
    assert text.splitlines()[1].endswith(" # why")
    assert text.splitlines()[1].removeprefix("status: ")[0] in "\"'"
    assert status(text) == odd


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# Increment 0008: User Education\n", "Increment 0008: User Education"),
        ("\ufeff# Product Specification: Search  \r\n", "Product Specification: Search"),
        ("Intro\n\n## Part\n#no heading\n# Search #\n# Second\n", "Search"),
        ("```sh\n# a comment\n```\n~~~~\n# b\n~~~\n# c\n~~~~\n# Search", "Search"),
        ("#\n# \n#\tSearch C#\n", "Search C#"),
        ("---\nid: 7\n# a comment\n---\n# Search\n", "Search"),
        ("---\ntitle: >\n  Long\n  story\n---\n# Search\n", "Long story"),
        ("---\ntitle: >-\n  Long\n\n  story: told\nid: 7\n---\n# Search\n", "Long story: told"),
        ("---\ntitle: Long\n  story\n---\n# Search\n", "Long story"),
        ("---\ntitle: [Long]\n---\n# Search\n", "Search"),
        ("---\ntitle: >-\n  Long\nid: [\n---\n# Search\n", "Search"),
        ("---\ntitle:\nid: 7\n---\n# Search\n", "Search"),
        ("---\ntitle: 'Fix a/b + c''s'\n---\n# Search\n", "Fix a/b + c's"),
        ("---\r\ntitle: Fix it # now\r\n---\r\n# Search\r\n", "Fix it"),
        ("---\nid: 7\n---\nText\n", None),
        (
            "---\n# a comment in front matter that never ends\n",
            "a comment in front matter that never ends",
        ),
        ("", None),
    ],
)
def test_titles(text: str, expected: str | None) -> None:
    assert title(text) == expected


def test_a_long_run_of_spaces_costs_no_time() -> None:
    """Backtracking over 20,000 of them took a first version nine seconds."""
    gap = " " * 50_000
    assert title(f"# a{gap}b\n") == f"a{gap}b"
    assert title(f"---\ntitle: a{gap}b{gap}# c\n---\n") == f"a{gap}b"


# ---- any text -------------------------------------------------------------------------------

marks = st.sampled_from("'\"\\|>[#é\ufeff\u2028\x0b")
gaps = st.sampled_from([" ", "  ", "\t", " #", "- ", "\n", "\n\n", "\r\n", "\r", "\nstatus: "])
tokens = st.sampled_from(["---", "...", "status:", "title:", "```", "completed"])
soups = st.lists(marks | gaps | tokens, max_size=30).map("".join)
specs = st.builds("---\n{}\nstatus:{}\n{}\n---\n{}".format, soups, soups, soups, soups)
texts = soups | specs | st.text(max_size=60)
words = st.from_regex(r"[a-z_]+", fullmatch=True) | st.text(max_size=10)


@given(specs, words)
def test_a_status_that_can_be_read_can_be_replaced_and_put_back(text: str, new: str) -> None:
    old = status(text)
    if old is None:
        return
    changed = with_status(text, new)
    assert status(changed) == new
    assert status(with_status(changed, old)) == old
    assert with_status(changed, new) == changed
    assert with_status(text, old) == text


# ---- real files of other projects -----------------------------------------------------------
