"""The results in a SARIF file.

Of what SARIF 2.1.0 (OASIS, 2020) allows, the writers agree on little: ruff, bandit, eslint and
semgrep write rules with or without a folder before them, relative or absolute addresses, and no
`baselineState`. So an alert is the last part of its rule, its file below the repository, and the
text of its line. semgrep gives every result the same fingerprint: one counts only if no other
result of its run has it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence  # noqa: TC003  (pydantic reads the annotations)
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Annotated
from urllib.parse import unquote, urlsplit

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from unlatch.errors import StoreError
from unlatch.spi.validation import first_problem
from unlatch.values import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

# GitHub takes 10 MB, compressed; a result has about 1 kB.
MOST_BYTES = 50_000_000
_MOST_PARTS = 20
_Text = Annotated[str, StringConstraints(max_length=100_000)]
_RULE_PARTS = re.compile(r"[./]")
_ABSOLUTE = re.compile(r"[A-Za-z]:[/\\]|/")


class _Part(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True, hide_input_in_errors=True)


class _Message(_Part):
    text: _Text = ""
    # In place of a text (findings/typos-nameless-alerts.sh).
    markdown: _Text = ""


class _Artifact(_Part):
    uri: _Text = ""
    base: _Text | None = Field(None, alias="uriBaseId")


class _Region(_Part):
    line: int | None = Field(None, alias="startLine")
    snippet: _Message | None = None


class _Physical(_Part):
    artifact: _Artifact = Field(_Artifact(), alias="artifactLocation")
    region: _Region = _Region()


class _Location(_Part):
    physical: _Physical = Field(_Physical(), alias="physicalLocation")


class _Result(_Part):
    rule: _Text = Field("", alias="ruleId")
    kind: _Text = "fail"
    message: _Message = _Message()
    locations: Sequence[_Location] = ()
    suppressions: Sequence[object] | None = None
    baseline: _Text | None = Field(None, alias="baselineState")
    fingerprints: Mapping[str, _Text] = {}
    partial: Mapping[str, _Text] = Field({}, alias="partialFingerprints")
    items: Sequence[_Text] = Field((), alias="workItemUris")
    page: _Text | None = Field(None, alias="hostedViewerUri")


class _Notification(_Part):
    locations: Sequence[_Location] = ()


class _Invocation(_Part):
    executions: Sequence[_Notification] = Field((), alias="toolExecutionNotifications")
    configurations: Sequence[_Notification] = Field((), alias="toolConfigurationNotifications")


class _Driver(_Part):
    name: _Text


class _Tool(_Part):
    driver: _Driver


class _Run(_Part):
    tool: _Tool
    results: Sequence[_Result] | None = None
    invocations: Sequence[_Invocation] = ()
    bases: Mapping[str, _Artifact] = Field({}, alias="originalUriBaseIds")


class _Log(_Part):
    runs: Sequence[_Run]


class SarifInvalid(StoreError):
    """A SARIF file that cannot be read; nothing follows from it."""


@dataclass(frozen=True, slots=True)
class Result:
    """An alert in a run of a tool; all texts are from outside.

    Args:
        rule: the last part of its rule's id; "" if the tool names none, as typos.
        file: below the repository, with slashes.
        line: from 1; None if it is about the whole file.
        text: the line itself, without its indentation; "" if it cannot be read.
        fingerprint: "" unless it is the only one of its run.
        is_suppressed: a person accepted it.
        is_new: the tool compared it with an earlier run, which did not have it.
        items: addresses of the issues and work items that it names.
        page: its address on the host.
    """

    rule: str
    file: str
    line: int | None
    text: str
    message: str
    fingerprint: str = ""
    is_suppressed: bool = False
    is_new: bool = False
    items: tuple[str, ...] = ()
    page: str = ""


@dataclass(frozen=True, slots=True)
class Run:
    """The alerts of one tool; those of the `unread` files are unknown."""

    tool: str
    results: tuple[Result, ...]
    unread: frozenset[str]


# A line of a file below the repository, from 1; "" if there is none.
if TYPE_CHECKING:
    LineOf = Callable[[str, int], str]


def read_sarif(data: bytes, where: str, *, root: Path, line_of: LineOf) -> list[Run]:
    """The runs in a SARIF file.

    Args:
        root: the repository, for absolute addresses.

    Raises:
        SarifInvalid: `sarif-invalid`, if it is no such file, or is larger than any host takes.
    """
    if len(data) > MOST_BYTES:
        raise _invalid(where, f"it has more than {MOST_BYTES:,} bytes")
    try:
        log = _Log.model_validate_json(data.removeprefix(b"\xef\xbb\xbf"))
    except ValidationError as error:
        details = error.errors(include_url=False, include_input=False)
        raise _invalid(where, first_problem(details)) from None
    return [_read_run(run, _Files(run.bases, root), line_of) for run in log.runs]


def _read_run(run: _Run, files: _Files, line_of: LineOf) -> Run:
    open_results = [result for result in run.results or () if result.kind in ("fail", "review")]
    shared = Counter(_fingerprint(result) for result in open_results)
    results = tuple(
        _read(result, files, line_of, is_unique=shared[_fingerprint(result)] == 1)
        for result in open_results
    )
    notified = (
        location
        for invocation in run.invocations
        for notification in (*invocation.executions, *invocation.configurations)
        for location in notification.locations
    )
    unread = frozenset(files.name(location) for location in notified) - {""}
    # ruff tells a syntax error as a result; its other alerts of that file are missing.
    broken = {result.file for result in results if result.rule == "invalid-syntax"}
    return Run(run.tool.driver.name, results, unread | broken)


def _read(result: _Result, files: _Files, line_of: LineOf, *, is_unique: bool) -> Result:
    location = next(iter(result.locations), _Location())
    region, file = location.physical.region, files.name(location)
    snippet = region.snippet.text if region.snippet else ""
    text = (line_of(file, region.line) if region.line and file else "") or snippet
    return Result(
        _RULE_PARTS.split(result.rule)[-1],
        file,
        region.line,
        text.strip(),
        result.message.text or result.message.markdown,
        _fingerprint(result) if is_unique else "",
        bool(result.suppressions),
        result.baseline == "new",
        tuple(result.items[:_MOST_PARTS]),
        result.page or "",
    )


def _fingerprint(result: _Result) -> str:
    pairs = {**result.partial, **result.fingerprints}
    return " ".join(f"{name}={value}" for name, value in sorted(pairs.items()))


class _Files:
    """The names of files below the repository, from the addresses of one run."""

    def __init__(self, bases: Mapping[str, _Artifact], root: Path) -> None:
        self._bases, self._root = bases, root

    def name(self, location: _Location) -> str:
        """The name of a location's file; "" if it is outside of the repository."""
        path = self._path(location.physical.artifact)
        if _ABSOLUTE.match(path):
            return self._below(path)
        parts = [part for part in PurePosixPath(path).parts if part != "."]
        return "" if ".." in parts else "/".join(parts)

    def _path(self, artifact: _Artifact) -> str:
        path, base, seen = _plain(artifact.uri), artifact.base, 0
        while base and base in self._bases and not _ABSOLUTE.match(path) and seen < _MOST_PARTS:
            place = self._bases[base]
            path, base, seen = f"{_plain(place.uri)}{path}", place.base, seen + 1
        return path

    def _below(self, path: str) -> str:
        """The part of an absolute path that the repository has, here or where the tool ran."""
        parts = PurePosixPath(path.replace("\\", "/")).parts[1:]
        root = self._root.resolve().parts[1:]
        if parts[: len(root)] == root:
            return "/".join(parts[len(root) :])
        ends = ("/".join(parts[at:]) for at in range(max(0, len(parts) - _MOST_PARTS), len(parts)))
        return next((end for end in ends if ".." not in parts and self._is_file(end)), "")

    def _is_file(self, name: str) -> bool:
        try:
            return (self._root / name).is_file()
        except (OSError, ValueError):
            return False


def _plain(uri: str) -> str:
    """The path of an address."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return ""
    if parts.scheme == "file":
        return unquote(parts.path)
    return "" if parts.scheme and len(parts.scheme) > 1 else unquote(uri.partition("#")[0])


def _invalid(where: str, why: str) -> SarifInvalid:
    hint = "write the report again, as SARIF 2.1.0"
    return SarifInvalid(
        "sarif-invalid", f"the alerts cannot be read: {why}", where=where, hint=hint
    )
