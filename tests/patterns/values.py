"""The values of the names in expressions that are built when they are used."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType, SimpleNamespace
from typing import Any

from unlatch.config import value_types
from unlatch_ado.api import errors as ado
from unlatch_github.api import error_table as github
from unlatch_jira import settings as jira_settings
from unlatch_jira.api import errors as jira

_Values = Mapping[str, Any]
_ID = "0007-smart-discipline"
_ESCAPED = re.escape("/home/dana smith/the.project")
_INCREMENT = SimpleNamespace(
    id=_ID,
    links=(
        SimpleNamespace(item="12", url="https://github.com/octo/widgets/issues/12"),
        SimpleNamespace(item="SCRUM-1", url=""),
    ),
)


def _each(name: str, values: Iterable[Any]) -> Callable[[_Values], list[dict[str, Any]]]:
    return lambda _: [{name: value} for value in values]


# By module and name, from the names in the module to those of each call. What is escaped stands for
# all that is; other texts are all that there are.
VALUES: Mapping[str, Callable[[_Values], Iterable[dict[str, Any]]]] = MappingProxyType(
    {
        "unlatch.patterns.attribute": _each("self", ()),
        "unlatch.worklog.text.secrets._kind": lambda module: (
            {"mark": mark} for _, mark in (*module["_GONE"], *module["_LEFT"])
        ),
        "unlatch_doctor.project._why_ignored": lambda module: (
            {"pattern": regex} for regex, _ in module["_OTHER_NAMES"]
        ),
        "unlatch_fleet.file_lines.wanted": _each("key", ["repositories", "events_share"]),
        "unlatch_efforts.referred_efforts._names": _each("effort", [_ID]),
        "unlatch.increments.layouts.discarding.__init__": _each("listed", [r"\-|~|\*|/"]),
        "unlatch.lifecycle.completion.newer_commits._names": lambda module: (
            {"pattern": regex.pattern} for regex in module["_names"](_INCREMENT).values()
        ),
        "unlatch_audit.verify.compare._names": lambda module: (
            {"name": r"[\W_]*".join(module["_letters"](_ID))},
        ),
        "unlatch_specweave.migrate.journal.is_foreign": lambda module: (
            {"pattern": cell.cell_contents}
            for kind in (module["_MOVABLE"], module["_EDITABLE"])
            for cell in kind.read.__closure__
        ),
        "unlatch_agents.hooks.named_by_branch._has": _each("name", [_ID]),
        "unlatch_regressions.alerts.naming._pattern": lambda _: [
            {"name": name, "flags": re.IGNORECASE}
            for name in ("https://example.com/alerts/4", "Code scanning alert #4")
        ],
        "unlatch_sessions.front_matter.matches": _each("key", ["source"]),
        "unlatch_agents.imports.composing.inside": _each("folder", [_ESCAPED]),
        "unlatch_agents.imports.composing._within": _each("folder", [_ESCAPED]),
        "unlatch.spi.tables._matches": _each(
            "wanted",
            [value_types._CATEGORY, value_types._ALIAS, f"^{jira_settings._CLOUD_ID}$"],
        ),
        "unlatch.transport.errors.matches": _each(
            "self", [row for table in (ado.TABLE, github.TABLE, jira.TABLE) for row in table]
        ),
        "unlatch.transport.trace.__init__": _each("home", ["/home/dana smith"]),
        "unlatch.worklog.text.secrets._compiled": lambda module: (
            {"pattern": regex} for regex, _ in module["_PATTERNS"]
        ),
        "unlatch_ado.description._as_edited": _each("words", [["\\[unlatch", "begin", _ID]]),
        "unlatch_example.settings.match": _each("self", [SimpleNamespace(url="https://x.example")]),
    }
)


def patterns_in(value: Any) -> Iterator[tuple[str | bytes, int]]:
    """The expressions in a value of a module, such as a table."""
    if isinstance(value, re.Pattern):
        yield value.pattern, value.flags
    elif isinstance(value, Mapping):
        yield from patterns_in((*value.values(),))
    elif isinstance(value, tuple | list):
        for inner in value:
            yield from patterns_in(inner)
    elif (arguments := getattr(value, "_arguments", None)) is not None:
        yield from patterns_in(re.compile(*arguments))
