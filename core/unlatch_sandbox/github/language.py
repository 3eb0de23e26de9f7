"""The part of GraphQL's language for queries, and for mutations with variables.

https://spec.graphql.org/October2021/#sec-Document-Syntax
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

_TOKEN = re.compile(r'\.\.\.|[{}()\[\]:!$=]|"(?:[^"\\]|\\.)*"|-?\d+|[A-Za-z_]\w*|\S')
_WORDS = ("true", "false", "null")
_IGNORED = re.compile(r"[\s,]+|#[^\n]*")


class SyntaxProblem(Exception):
    """The text is not a query, or of an unknown kind."""


@dataclass(slots=True)
class Field:
    name: str
    alias: str
    arguments: dict[str, Any] = field(default_factory=dict)
    selections: list[Selection] = field(default_factory=list)


@dataclass(slots=True)
class Fragment:
    """The selection of fields of one type."""

    type: str
    selections: list[Selection]


@dataclass(slots=True)
class Spread:
    """The name of a fragment defined elsewhere."""

    name: str


Selection = Field | Fragment | Spread


@dataclass(slots=True)
class Document:
    selections: list[Selection]
    fragments: dict[str, Fragment]
    is_mutation: bool = False


def read(text: str, variables: dict[str, Any]) -> Document:
    """The query in a text, with its variables filled in."""
    return _Reader(text, variables).document()


class _Reader:
    def __init__(self, text: str, variables: dict[str, Any]) -> None:
        self._tokens = _TOKEN.findall(_IGNORED.sub(" ", text))
        self._at = 0
        self._variables = variables
        self._takes_input = False

    def document(self) -> Document:
        document = Document([], {})
        while self._at < len(self._tokens):
            word = self._next()
            if word == "fragment":
                name = self._next()
                self._expect("on")
                document.fragments[name] = Fragment(self._next(), self._selections())
            elif word in ("query", "mutation"):
                document.is_mutation = self._takes_input = word == "mutation"
                self._skip_declarations()
                document.selections = self._selections()
            else:
                raise SyntaxProblem(f'Expected a query, actual: "{word}"')
        if not document.selections:
            raise SyntaxProblem("Unexpected end of document")
        return document

    def _skip_declarations(self) -> None:
        while self._peek() != "{":
            self._next()

    def _selections(self) -> list[Selection]:
        self._expect("{")
        selections: list[Selection] = []
        while self._peek() != "}":
            selections.append(self._selection())
        self._next()
        return selections

    def _selection(self) -> Selection:
        word = self._next()
        if word != "...":
            return self._field(word)
        if self._peek() != "on":
            return Spread(self._next())
        self._next()
        return Fragment(self._next(), self._selections())

    def _field(self, alias: str) -> Field:
        name = alias
        if self._peek() == ":":
            self._next()
            name = self._next()
        arguments = self._arguments() if self._peek() == "(" else {}
        return Field(name, alias, arguments, self._selections() if self._peek() == "{" else [])

    def _arguments(self) -> dict[str, Any]:
        self._expect("(")
        arguments: dict[str, Any] = {}
        while self._peek() != ")":
            name = self._next()
            self._expect(":")
            arguments[name] = self._value()
        self._next()
        return arguments

    def _value(self) -> Any:
        word = self._next()
        if word == "$":
            return self._variables.get(self._next())
        if word == "[":
            return self._list()
        if word == "{" and self._takes_input:
            return self._input()
        if word.isidentifier() and word not in _WORDS:
            return word  # a value of an enumeration
        try:
            return json.loads(word)
        except ValueError:
            raise SyntaxProblem(f'A value is not known here: "{word}"') from None

    def _input(self) -> dict[str, Any]:
        fields = {}
        while self._peek() != "}":
            name = self._next()
            self._expect(":")
            fields[name] = self._value()
        self._next()
        return fields

    def _list(self) -> list[Any]:
        values = []
        while self._peek() != "]":
            values.append(self._value())
        self._next()
        return values

    def _peek(self) -> str:
        if self._at >= len(self._tokens):
            raise SyntaxProblem("Unexpected end of document")
        return str(self._tokens[self._at])

    def _next(self) -> str:
        word = self._peek()
        self._at += 1
        return word

    def _expect(self, wanted: str) -> None:
        word = self._next()
        if word != wanted:
            raise SyntaxProblem(f'Expected {wanted}, actual: "{word}"')
