"""A command in a message can be pasted into a shell, whatever the names in it are."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from shlex import quote

import pytest
from tests.cli.layouts.folders import kiro
from tests.cli.project import Project

ROOT = Path(__file__).parents[2]
# A command begins, with the words up to the next placeholder; and what ends it.
_GIT = "git (?:add|checkout|fetch|mv|remote|restore)"
_BEGIN = re.compile(
    rf"(?:\bunlatch|(?:\A|[:`;] ?|&& )(?:rm|mv|cp|cd|pip|{_GIT})) (?!did\b|cannot\b|in\b)"
)
_END = re.compile(r"; |, |\. |: |` | \(|\n")
_COMMANDS = ("command", "fix", "hint", "more", "step")
# What a module with a command has somewhere; the others need not be parsed.
_MAYBE = re.compile(rf"\b(?:unlatch|rm|mv|cp|cd|pip|git)[ \"']|\b(?:{'|'.join(_COMMANDS)}) *[=,)]")
# Our own words and numbers, and commands that were built elsewhere.
_OWN = {
    "' '.join(arguments)",  # of the demonstration
    "'|'.join(MORE)",
    "FORMAT_VERSION",
    "HOOK",
    "reference.verb('resume')",
    "VERBS[typed.kind]",
    "_digest(text)",
    "_to_set(first, self.stage)",  # a line of TOML
    "_COMMANDS[move]",
    "again",
    "apart",  # a sentence
    "arguments[0]",  # of the demonstration
    "command",
    "entry.name",
    "self.stage",  # reopen or close
    "quoted_reason(reason)",
    "draft.increment",  # the name of a link
    "done.returncode",
    "error.id",
    "error.message",
    "given",  # quoted, or TEXT
    "higher",
    "kind",
    "kind.value",
    "kinds",
    "listing",
    "manifest.name",
    "manifest.slug",
    "manifests[name].slug",
    "more",
    "option",
    "op",
    "options",
    "options[0]",
    "other.kind",
    "others",
    "recorded",
    "ref.tracker",  # a plugin's name
    "reference.kind",
    "retry",
    "shown",
    "slug",
    "close",
    "step",
    "steps",
    "typed.command",
    "typed.ending.name",
    "typed_reason()",
    "verb",
    "way",
    "words",
}


class _Quoting:
    """Which expressions of a function are quoted, or our own."""

    def __init__(self, function: ast.AST) -> None:
        self._assigned: dict[str, list[ast.expr]] = {}
        for node in ast.walk(function):
            if isinstance(node, ast.Assign):
                for name, value in _pairs(node):
                    self._assigned.setdefault(name, []).append(value)

    def is_safe(self, value: ast.expr) -> bool:
        if isinstance(value, ast.Constant) or ast.unparse(value) in _OWN:
            return True
        if isinstance(value, ast.Call):
            return self._is_quote(value)
        parts = self._parts(value)
        return bool(parts) and all(map(self.is_safe, parts))

    def _parts(self, value: ast.expr) -> list[ast.expr]:
        """The expressions that another one has its text from."""
        match value:
            case ast.IfExp():
                return [value.body, value.orelse]
            case ast.GeneratorExp() | ast.ListComp():
                return [value.elt]
            case ast.List() | ast.Tuple():
                return value.elts
            case ast.Starred():
                return [value.value]
            case ast.JoinedStr():
                return [one.value for one in value.values if isinstance(one, ast.FormattedValue)]
        return self._assigned.get(value.id, []) if isinstance(value, ast.Name) else []

    def _is_quote(self, call: ast.Call) -> bool:
        called = ast.unparse(call.func)
        if called in ("quote", "shlex.quote", "join", "shlex.join"):
            return True
        if called == "output.clean":
            return self.is_safe(call.args[0])
        if called == "map":
            return ast.unparse(call.args[0]) in ("quote", "shlex.quote")
        return called == "' '.join" and self.is_safe(call.args[0])


def _pairs(node: ast.Assign) -> Iterator[tuple[str, ast.expr]]:
    for target in node.targets:
        if isinstance(target, ast.Name):
            yield target.id, node.value
        elif isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
            for one, value in zip(target.elts, node.value.elts, strict=True):
                yield ast.unparse(one), value


def unquoted(source: str) -> Iterator[tuple[int, str]]:
    """Each unquoted placeholder of a command in an f-string, with its line."""
    if not _MAYBE.search(source):
        return
    tree = ast.parse(source)
    nodes = [*ast.walk(tree)]
    commands = {id(one) for node in nodes for one in _named_commands(node)}
    if not any(any(_inserted(node, is_command=id(node) in commands)) for node in nodes):
        return
    functions = [one for one in tree.body if not isinstance(one, ast.ClassDef)]
    functions += [one for node in nodes if isinstance(node, ast.ClassDef) for one in node.body]
    for function in functions:
        quoting = _Quoting(function)
        for node in ast.walk(function):
            for value in _inserted(node, is_command=id(node) in commands):
                if not quoting.is_safe(value):
                    yield value.lineno, ast.unparse(value)


def _inserted(node: ast.AST, *, is_command: bool) -> Iterator[ast.expr]:
    """What an expression inserts into commands."""
    match node:
        case ast.JoinedStr():
            yield from _placeholders(node, is_command=is_command)
        case ast.BinOp(left=ast.Constant(value=str(said))) if _is_open(said):
            yield node.right
        case ast.Call(
            func=ast.Attribute(value=ast.Constant(), attr="join"),
            args=[ast.List(elts=[ast.Constant(value=str(said)), *rest])],
        ) if _is_open(f"{said} "):
            yield from rest


def _named_commands(node: ast.AST) -> Iterator[ast.expr]:
    if isinstance(node, ast.Call):
        yield from (one.value for one in node.keywords if one.arg in _COMMANDS)
    elif isinstance(node, ast.Assign):
        yield from (value for name, value in _pairs(node) if name in _COMMANDS)


def _placeholders(node: ast.JoinedStr, *, is_command: bool) -> Iterator[ast.expr]:
    """The placeholders in the commands of an f-string."""
    said = ""
    # A command in a variable, with arguments.
    in_command = is_command and isinstance(node.values[0], ast.FormattedValue)
    for part in node.values:
        if isinstance(part, ast.FormattedValue):
            said += "VALUE"
            if in_command or _is_open(said):
                yield part.value
        else:
            said += str(ast.literal_eval(part))
            in_command = in_command and not _END.search(said)


def _is_open(said: str) -> bool:
    """Whether a text ends inside of a command."""
    begins = [one.end() for one in _BEGIN.finditer(said)]
    return bool(begins) and not _END.search(said, begins[-1])


def test_a_placeholder_in_a_command_is_quoted() -> None:
    # In one test: each worker would read all sources for the names of the cases.
    found = [
        f"{path.relative_to(ROOT)}:{line}: {value}"
        for folder in ("core", "plugins")
        for path in sorted((ROOT / folder).rglob("*.py"))
        for line, value in unquoted(path.read_text())
    ]

    assert [] == found


def test_the_search_finds_what_is_not_quoted() -> None:
    source = """
def hint(increment, name, path):
    part = quote(name)
    yield f"unlatch resume {quote(name)} {part}, with {path}"
    yield f"to go on: unlatch resume {increment.id} {path}; see {name}"
    yield "unlatch show " + name
    yield " ".join(["unlatch sync", name, *map(quote, others)])
    hint = f"{command} {name}"
    yield f"restore it: git checkout {path}"
"""
    expected = ["increment.id", "path", "name", "name", "name", "path"]
    assert expected == [value for _, value in sorted(unquoted(source))]


REASON = ("--reason", "Again", "--yes")
HOSTILE = "0014-y$(touch pwned)"
UNIT = "photo-$(touch pwned)"
# The commands that name an increment in a next step, by the status that they find it in.
NAMING: dict[str, list[tuple[str, ...]]] = {
    "active": [
        ("resume", "14", *REASON),
        ("resume", "14"),
        ("resume", "14", "--dry-run"),
        ("show", "14"),
        ("status",),
        ("doctor",),
        ("sync", "14"),
        ("undo", "14", "--yes"),
        ("complete", "14"),
        ("link", "14", "--create", "github"),
        ("link", "14", "--create", "github"),
        ("github", "create-issue", "14"),
        ("github", "reopen-issue", "14"),
        ("start", "15"),
    ],
    "completed": [
        ("resume", "14"),
        ("resume", "14", "--only", "sessions"),
        ("start", "14"),
        ("show", "14"),
        ("complete", "14"),
        ("resume", "14", "--scope", "More", "--reason", "Again"),
        ("resume", "14", *REASON, "--offline"),
        ("complete", "14", "--yes"),
        ("undo", "14"),
    ],
    "paused": [("complete", "14"), ("doctor",), ("start", "14"), ("pause", "15")],
    "abandoned": [("complete", "14"), ("pause", "14"), ("show", "14"), ("resume", "14")],
}


@pytest.mark.parametrize("status", NAMING)
def test_a_hostile_folders_name_is_quoted_in_commands(project: Project, status: str) -> None:
    project.configure_more(tables="[limits]\nhard_cap = 1")
    project.increment(HOSTILE, status=status)
    project.increment("0015-other", status="planning")

    said = "".join(project.run(*one).said for one in NAMING[status])

    assert [] == pasted(said, HOSTILE)
    assert f" {quote(HOSTILE)}" in said


def test_a_hostile_remedy_is_quoted_in_commands(project: Project) -> None:
    project.increment(links=project.items())
    project.box.github.edit("octo/widgets", 4, locked=True)
    assert project.run("resume", "7", *REASON).code == 3
    path = project.folder() / "metadata.json"
    text = path.read_text()
    assert '"--comment none"' in text
    path.write_text(text.replace('"--comment none"', '"$(touch pwned) --comment none"'))

    said = "".join(project.run(*one).said for one in (("status",), ("show", "7")))

    assert "'$(touch' 'pwned)' --comment none" in said


def test_a_hostile_units_name_is_quoted_in_commands(project: Project) -> None:
    kiro(project.root)
    specs = project.root / ".kiro/specs"
    (specs / "photo-albums").rename(specs / UNIT)
    assert project.run("init").code == 0

    said = "".join(
        project.run(command, UNIT).said for command in ("show", "complete", "resume", "doctor")
    )

    assert [] == pasted(said, UNIT)
    assert f" {quote(UNIT)}" in said


def pasted(said: str, name: str) -> list[str]:
    """The lines with a command that has a name unquoted."""
    command = re.compile(rf"\b(unlatch|git|rm|mv) ([a-z-]+ )*{re.escape(name)}")
    return [line for line in said.splitlines() if command.search(line)]
