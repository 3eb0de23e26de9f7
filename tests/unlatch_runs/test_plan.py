"""Plans: the grammar, the graph, and commands that no shell runs."""

import subprocess
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unlatch.errors import MistakesError
from unlatch_runs.plan.commands import ShellSyntax, split_command
from unlatch_runs.plan.read_plan import read_plan

PLAN = """\
# Plan: search

Intro with `### Task 9-9: not a task`.

```markdown
### Task 8-8: in a code block
```

## Phase 1

### Task 1-1-1: Parse the query

**Work**: Write the parser.

It has two parts:

#### Details

- a lexer

**Required Reading**: docs/grammar.md
**Environment:** Python 3.11

**Acceptance Criteria**:
- [ ] Quoted words stay together
- [ ] `pytest tests/parser -q`

```bash
# the types, too
mypy --strict \\
  src/parser
```

**Blocked By**: none

#### Task 1-auth-2: Use it — everywhere

**Work**
Call the parser.
**Acceptance Criteria**
```console
$ python -c 'import parser; print("ok")'
```
**Blocked By**: Task 1-1-1, and 1-1-3.

### Task 1-1-3: Docs
**Work**: Write.
**Acceptance Criteria**:
- [ ] Somebody can follow them
**Blocked By**:
- `1-1-1`
"""


def test_reads_tasks_fields_and_commands() -> None:
    plan = read_plan(PLAN, "plan.md")
    assert list(plan.tasks) == ["1-1-1", "1-auth-2", "1-1-3"]
    first, second, third = plan.tasks.values()
    assert first.title == "Parse the query"
    assert first.work == "Write the parser.\n\nIt has two parts:\n\n#### Details\n\n- a lexer"
    assert dict(first.notes) == {
        "required reading": "docs/grammar.md",
        "environment": "Python 3.11",
    }
    assert [(one.argv, one.line) for one in first.commands] == [
        (("pytest", "tests/parser", "-q"), 26),
        (("mypy", "--strict", "src/parser"), 30),
    ]
    assert "Quoted words stay together" in first.criteria
    assert second.title == "Use it — everywhere"
    assert second.work == "Call the parser."
    assert [one.argv for one in second.commands] == [("python", "-c", 'import parser; print("ok")')]
    assert second.blocked_by == ("1-1-1", "1-1-3")
    assert third.blocked_by == ("1-1-1",)
    assert third.commands == ()


def test_the_digest_is_of_the_definition_alone() -> None:
    plan = read_plan(PLAN, "plan.md")
    moved = read_plan("# Another heading\n\n\n" + PLAN, "plan.md")
    changed = read_plan(PLAN.replace("-q`", "-x`"), "plan.md")
    assert plan.tasks["1-1-1"].digest == moved.tasks["1-1-1"].digest
    assert plan.tasks["1-1-1"].digest != changed.tasks["1-1-1"].digest
    assert plan.tasks["1-1-3"].digest == changed.tasks["1-1-3"].digest


def mistakes(text: str) -> tuple[str, ...]:
    with pytest.raises(MistakesError) as caught:
        read_plan(text, "plan.md")
    assert caught.value.id == "plan-invalid"
    return caught.value.problems


def task(id: str, blocked_by: str = "none", criteria: str = "") -> str:
    return (
        f"### Task {id}: T\n**Work**: w\n**Acceptance Criteria**:\n{criteria}\n"
        f"**Blocked By**: {blocked_by}\n\n"
    )


def test_names_unknown_ids_cycles_and_ids_that_come_twice_with_their_lines() -> None:
    text = task("1", "9") + task("2", "3") + task("3", "2") + task("1")
    assert mistakes(text) == (
        "plan.md:1: task 1 is blocked by 9, an unknown task",
        "plan.md:7: the tasks block each other: 2 <- 3 <- 2",
        "plan.md:19: task 1 is defined in line 1 already",
    )


def test_a_task_that_blocks_itself_is_a_cycle() -> None:
    assert mistakes(task("1", "1")) == ("plan.md:1: the tasks block each other: 1 <- 1",)


def test_names_a_reference_that_is_none_and_a_field_that_comes_twice() -> None:
    text = task("1", "the other one, please!") + "**Work**: again\n"
    assert mistakes(text) == (
        "plan.md:5: 'please!' is not the id of a task",
        "plan.md:5: 'the other one' is not the id of a task",
        "plan.md:7: task 1 has two fields 'Work'",
    )


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("pytest | tee log", "'|' has a meaning"),
        ("a && b", "'&' has a meaning"),
        ("a; b", "';' has a meaning"),
        ("a > b", "'>' has a meaning"),
        ("echo $HOME", "'$' has a meaning"),
        ('echo "$HOME"', "use single quotes"),
        ("echo `id`", "'`' has a meaning"),
        ('echo "`id`"', "use single quotes"),
        ("ls *.py", "'*' has a meaning"),
        ("ls {a,b}", "'{' has a meaning"),
        ("ls ~/x", "'~' has a meaning"),
        ("cd src", "works in a shell only"),
        ("FOO=1 pytest", "write 'env FOO=1 ...'"),
        ("echo 'open", "no closing quotation"),
        ("(true)", "'(' has a meaning"),
        (r'echo "\$5"', "use single quotes"),
    ],
)
def test_shell_syntax_is_refused_with_its_line(line: str, reason: str) -> None:
    with pytest.raises(ShellSyntax) as caught:
        split_command(line)
    assert reason in str(caught.value)
    found = mistakes(task("1", criteria=f"```bash\ntrue\n{line}\n```"))
    assert found[0].startswith(f"plan.md:6: acceptance command `{line}`: ")


@pytest.mark.parametrize(
    ("line", "argv"),
    [
        ("pytest -k 'a and (b | c)' -q", ("pytest", "-k", "a and (b | c)", "-q")),
        (r"grep -c a\|b x", ("grep", "-c", "a|b", "x")),
        ("test -f a.txt # it is there", ("test", "-f", "a.txt")),
        ("git log HEAD~1", ("git", "log", "HEAD~1")),
        ("# only a comment; really", ()),
        ("python -c \"print('a')\"", ("python", "-c", "print('a')")),
    ],
)
def test_quotes_take_the_meaning_from_characters(line: str, argv: tuple[str, ...]) -> None:
    assert split_command(line) == argv


@given(st.text(alphabet="ab '\"\\$`|&;<>()*?[{~#=-", max_size=12))
@settings(max_examples=50)
def test_a_command_has_the_words_that_a_shell_would_find(line: str) -> None:
    try:
        argv = split_command(line)
    except ShellSyntax:
        return
    shell = ["sh", "-c", f"printf '%s\\0' x {line}"]
    found = subprocess.run(shell, capture_output=True, check=True, timeout=10).stdout
    assert argv == tuple(found.decode().split("\0")[1:-1])


@given(st.text(max_size=200), st.text(max_size=50))
def test_any_text_is_a_plan_or_has_mistakes(text: str, more: str) -> None:
    for whole in (text, PLAN + text, f"### Task 1: {more}\n**Work**: {text}\n**{more}**:\n{text}"):
        with suppress(MistakesError):
            assert read_plan(whole, "plan.md").tasks
