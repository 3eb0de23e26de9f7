"""Reading workflow markup of both dialects."""

from __future__ import annotations

import re
from dataclasses import field, replace
from typing import TYPE_CHECKING

from unlatch.errors import StoreError
from unlatch.values import dataclass
from unlatch.worklog.text.markdown_lines import Line, scan
from unlatch_sessions import front_matter
from unlatch_sessions.heading import read_heading
from unlatch_sessions.session_model import Agent
from unlatch_sessions.workflow.workflow_model import (
    Branch,
    Data,
    Dialect,
    Node,
    Problem,
    Severity,
    Workflow,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


_ARROW = re.compile(r"(?:(?<![ \t])[ \t]++)?(?:\u2192|->)[ \t]*+")
_DATA = re.compile(r"(?P<name>[^\W\d][\w./-]*)(?:::(?P<type>[^\W\d][\w<>\[\], ]*))?")
_LISTED = re.compile(r"(?P<word>takes|creates)[ \t]*+:?+[ \t]*+(?P<rest>.*)", re.IGNORECASE)
_BRANCH = re.compile(
    r"(?:If[ \t]++(?P<condition>[^ \t].*?(?<![ \t]))|(?P<otherwise>Otherwise))"
    r"[ \t]*+(?:\u2192|->)[ \t]*+(?P<text>[\s\S]+)",
    re.IGNORECASE,
)
# As earlier versions wrote it in the present dialect.
_COLON_BRANCH = re.compile(
    r"(?:If[ \t]++(?P<condition>[^ \t].*?)|(?P<otherwise>Otherwise)):[ \t]++(?P<text>[\s\S]+)",
    re.IGNORECASE,
)
_PROCEED = re.compile(r"proceed[ \t]++to[ \t]++(?P<node>.+?)\.?", re.IGNORECASE)
_FIELDS = re.compile(r"(?<![ \t])[ \t]*+\[(?P<key>[\w-]{1,99})::[ \t]*+(?P<value>[^\]]{0,500})\]")
_PARALLEL = re.compile(r"\A&[ \t]*+|(?:(?<![ \t])[ \t]++)?\(parallel\)\Z", re.IGNORECASE)
_BOLD = re.compile(r"\*\*(?P<name>[^*]+)\*\*")
_USES = re.compile(r"Uses \*\*[^*]+\*\*(?:, \*\*[^*]+\*\*)*\.")
_GATE = re.compile(r" {0,3}> ?\[!gate\]", re.IGNORECASE)
_NO_NODES = frozenset({"goals", "validation"})
_LEVEL = 2


def read_workflow(text: str, dialect: Dialect | None = None) -> Workflow:
    """Read a workflow's file.

    Args:
        dialect: by default the one that the front matter names; without a name, that with goals,
            validation, gates or outputs in headings is today's.

    Raises:
        StoreError: `workflow-damaged`.
    """
    try:
        fields = front_matter.read(text)
    except StoreError as error:
        message, hint = error.message, "add front matter with `type: workflow` between lines of ---"
        raise StoreError("workflow-damaged", message, hint=hint) from None
    lines = scan(text).lines
    dialect = dialect or _dialect(fields.get("dialect"), lines)
    title = next((line.words for line in lines if line.level == 1), None)
    source = fields.get("source")
    reader = _Reader(dialect)
    for line in lines:
        reader.take(line)
    return Workflow(
        title=title or str(fields.get("name") or "Workflow"),
        dialect=dialect,
        nodes=tuple(draft.build() for draft in reader.nodes),
        source=source if isinstance(source, str) else None,
        problems=tuple(reader.problems),
    )


def _dialect(named: object, lines: Iterable[Line]) -> Dialect:
    if isinstance(named, str) and named in [*Dialect]:
        return Dialect(named)
    if named not in (None, ""):
        dialects = ", ".join(Dialect)
        message = f"the dialect {named!r} is unknown; known are {dialects}"
        raise StoreError("workflow-damaged", message, hint="correct `dialect` in the front matter")
    for line in lines:
        is_heading = line.level >= _LEVEL
        if _GATE.match(line.text) or (is_heading and line.words.lower() in _NO_NODES):
            return Dialect.CRUCIBLE_2026
        if is_heading and _ARROW.search(line.words):
            return Dialect.CRUCIBLE_2026
    return Dialect.CRUCIBLE_1


@dataclass
class _Draft:
    """A node that is being read."""

    node: Node
    takes: dict[str, Data] = field(default_factory=dict)
    creates: dict[str, Data] = field(default_factory=dict)
    branches: list[Branch] = field(default_factory=list)
    steps: list[str] = field(default_factory=list)
    bold: list[Data] = field(default_factory=list)
    gate: bool = False

    def build(self) -> Node:
        node = self.node
        takes = {**{data.name: data for data in self.bold}, **self.takes}
        for name in {data.name for data in node.creates} | {*self.creates}:
            takes.pop(name, None)
        return replace(
            node,
            gate=self.gate,
            takes=tuple(takes.values()),
            creates=(*node.creates, *self.creates.values()),
            branches=tuple(self.branches),
            steps=tuple(self.steps),
        )


@dataclass
class _Reader:
    dialect: Dialect
    nodes: list[_Draft] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    _list: dict[str, Data] | None = None  # the one whose items are being read
    _last: int = 0  # the line of its last item
    _skips: bool = False

    def take(self, line: Line) -> None:
        if line.level >= _LEVEL:
            self._list = None
            self._skips = self.dialect is Dialect.CRUCIBLE_2026 and line.words.lower() in _NO_NODES
            if not self._skips:
                self.nodes.append(_Draft(self._heading(line)))
        elif line.level == 0 and self.nodes and not self._skips:
            read: Callable[[Line, _Draft], None] = (
                self._line_1 if self.dialect is Dialect.CRUCIBLE_1 else self._line_2026
            )
            read(line, self.nodes[-1])

    def _heading(self, line: Line) -> Node:
        words = line.words
        creates: tuple[Data, ...] = ()
        required = optional = parallel = False
        fields: dict[str, str] = {}
        if self.dialect is Dialect.CRUCIBLE_2026:
            fields = {match["key"]: match["value"].strip() for match in _FIELDS.finditer(words)}
            words = _FIELDS.sub("", words)
            words, *outputs = _ARROW.split(words)
            creates = tuple(data for output in outputs for data in self._data(output, line.number))
            parallel = _PARALLEL.search(words) is not None
            words = _PARALLEL.sub("", words)
        else:
            required, optional = words.endswith(" !"), words.endswith(" ?")
            words = words[:-2] if required or optional else words
        heading = read_heading(words)
        if not heading.title:
            self._report(Severity.ERROR, line.number, "a node has no name")
        return Node(
            name=heading.title,
            line=line.number,
            level=line.level,
            agent=_versioned(heading.agent, fields.get("version")),
            channel=fields.get("channel") or heading.channel,
            required=required,
            optional=optional,
            parallel=parallel,
            creates=creates,
        )

    def _line_1(self, line: Line, draft: _Draft) -> None:
        words = line.words.strip()
        is_item = line.body > 0 and line.text.lstrip()[:1] in ("-", "*", "+")
        if is_item and self._list is not None and line.number == self._last + 1:
            self._list |= {data.name: data for data in self._data(words, line.number)}
            self._last = line.number
            return
        self._list = None
        if match := _BRANCH.fullmatch(words):
            draft.branches.append(_branch(match, line.number))
        elif (listed := _LISTED.fullmatch(words)) and not is_item:
            self._list = draft.takes if listed["word"].lower() == "takes" else draft.creates
            self._last = line.number
            if listed["rest"]:
                self._list |= {data.name: data for data in self._data(listed["rest"], line.number)}
        elif _ARROW.search(words) and not words.startswith("`"):
            self._chain(words, line.number, draft)
        elif words:
            draft.steps.append(line.text.strip())

    def _line_2026(self, line: Line, draft: _Draft) -> None:
        if line.text.lstrip().startswith(">"):
            draft.gate = draft.gate or _GATE.match(line.text) is not None
        elif words := line.words.strip():
            names = (match["name"].strip() for match in _BOLD.finditer(words))
            draft.bold += [Data(name) for name in names if _DATA.fullmatch(name)]
            if branch := _BRANCH.fullmatch(words) or _COLON_BRANCH.fullmatch(words):
                draft.branches.append(_branch(branch, line.number))
            elif not _USES.fullmatch(words):
                draft.steps.append(line.text.strip())

    def _chain(self, words: str, number: int, draft: _Draft) -> None:
        """A line as `a, b → c → d`: all but the last are taken, all but the first created."""
        parts = [self._data(part, number) for part in _ARROW.split(words)]
        for data in parts[0]:
            draft.takes.setdefault(data.name, data)
        for part in parts[1:]:
            draft.creates |= {data.name: data for data in part}

    def _data(self, text: str, number: int) -> tuple[Data, ...]:
        data = []
        for part in filter(None, map(str.strip, _split(text))):
            if match := _DATA.fullmatch(part):
                data.append(Data(match["name"], match["type"]))
            else:
                self._report(Severity.WARNING, number, f"cannot read '{part}' as name::Type")
        return tuple(data)

    def _report(self, severity: Severity, line: int, message: str) -> None:
        self.problems.append(Problem(severity, line, message))


def _versioned(agent: Agent | None, version: str | None) -> Agent | None:
    return Agent(agent.name, version) if agent and version else agent


def _branch(match: re.Match[str], line: int) -> Branch:
    proceed = _PROCEED.fullmatch(match["text"].strip())
    node = proceed["node"].strip() if proceed else None
    return Branch(match["condition"], match["text"].strip(), node, line)


def _split(text: str) -> list[str]:
    """The parts between commas that are not in <> or []."""
    return re.split(r",(?![^<\[]*[>\]])", text)
