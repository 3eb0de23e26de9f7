"""unlatch link --test and unlink --test: tests that guard the work of an increment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from unlatch.cli.runtime.passing import show_plan
from unlatch.cli.terminal import output
from unlatch.errors import StoreError, UsageError
from unlatch.increments.records.events import GuardsChanged
from unlatch_regressions.results.case_names import is_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from unlatch.cli.runtime.context import Context
    from unlatch.increments.model.increment import Increment
    from unlatch.project.workspace import Workspace
    from unlatch.worklog.event_log import Event

_KEY = "guards"
_MOST_CHARACTERS = 1_000


def link_tests(context: Context, wanted: str, tests: Sequence[str], **options: Any) -> int:
    """Link tests to an increment.

    Raises:
        UsageError: `test-name-invalid`.
        StoreError: the increment's files cannot be read or written.
    """
    for test in tests:
        if not is_name(test) or not test.isprintable() or len(test) > _MOST_CHARACTERS:
            raise UsageError(
                "test-name-invalid",
                f"{test[:100]!r} cannot be the name of a test: use one line of at most "
                f"{_MOST_CHARACTERS:,} characters",
                hint="unlatch link --help",
            )
    return _change(context, wanted, add=tests, **options)


def unlink_tests(context: Context, wanted: str, tests: Sequence[str], **options: Any) -> int:
    """Unlink tests of an increment.

    Raises:
        UsageError: `unknown-test`.
        StoreError: the increment's files cannot be read or written.
    """
    linked = guards_in(context.workspace.manager.read(wanted))
    for test in tests:
        if test not in linked:
            raise UsageError(
                "unknown-test",
                f"{test!r} is not linked to {wanted}; its tests: {', '.join(linked) or 'none'}",
                hint="give the name as it was linked",
            )
    return _change(context, wanted, remove=tests, **options)


def guards_in(increment: Increment) -> list[str]:
    """The names of the tests that are linked to an increment.

    Raises:
        StoreError: `metadata-invalid`.
    """
    names = increment.data.get(_KEY, [])
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        message = f"metadata.json: {_KEY!r} has to be a list of texts"
        hint = "fix it, then run the command again"
        raise StoreError("metadata-invalid", message, where=increment.id, hint=hint)
    return names


def _change(
    context: Context,
    wanted: str,
    *,
    add: Sequence[str] = (),
    remove: Sequence[str] = (),
    by: str | None,
    dry_run: bool,
    as_json: bool,
    **_: Any,
) -> int:
    manager = context.workspace.manager
    increment = manager.read(wanted)
    before = guards_in(increment)
    after = [name for name in dict.fromkeys((*before, *add)) if name not in remove]
    if after != before and not dry_run:
        _write(context.workspace, increment.id, add, remove, by=context.who(by))
    parts = {"id": increment.id, _KEY: after, "changed": after != before, "dryRun": dry_run}
    if show_plan(context, "link-tests", 0, parts, as_json=as_json, about=(increment,)):
        return 0
    if after == before:
        output.talk("No changes needed.")
        return 0
    verb = (
        ("would be linked" if add else "would be unlinked")
        if dry_run
        else ("linked" if add else "unlinked")
    )
    for test in dict.fromkeys((*add, *remove)):
        output.ok(f"{output.clean(test)} {verb}")
    if dry_run:
        output.talk("Nothing was written.")
    return 0


def _write(
    workspace: Workspace, wanted: str, add: Sequence[str], remove: Sequence[str], *, by: str
) -> None:
    manager = workspace.manager

    def edit(before: Increment, data: dict[str, Any]) -> list[Event]:
        now = guards_in(before)
        linked = tuple(test for test in dict.fromkeys(add) if test not in now)
        unlinked = tuple(test for test in dict.fromkeys(remove) if test in now)
        data[_KEY] = [*(test for test in now if test not in unlinked), *linked]
        if not data[_KEY]:
            del data[_KEY]
        facts = manager.event_facts(by)
        return (
            [GuardsChanged(linked=linked, unlinked=unlinked, **facts)] if linked or unlinked else []
        )

    manager.change(wanted, edit)
