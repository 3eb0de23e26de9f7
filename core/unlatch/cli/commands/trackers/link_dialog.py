"""What unlatch link shows, for one increment and for many."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from unlatch.cli.render.describe import seen_line, times
from unlatch.cli.render.dialog import Dialog
from unlatch.cli.render.documents import fact_entries, item_entry, warning_entries
from unlatch.cli.render.notes import tell_warnings
from unlatch.cli.render.preview import tell_refusals
from unlatch.cli.runtime.failure import part, problem_entry
from unlatch.cli.runtime.passing import show_plan
from unlatch.cli.terminal import output
from unlatch.lifecycle.change import ChangeOptions, Done, DryRun, Ended, Outcome, Refusal
from unlatch.lifecycle.closed_items import closed_warnings
from unlatch.lifecycle.linking.link import shared_items

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from unlatch.cli.runtime.context import Context
    from unlatch.errors import UnlatchError
    from unlatch.lifecycle.linking.file import LinkChange


class LinkDialog(Dialog):
    """The report of new links: a dry run shows the same.

    Args:
        changes: the links of each increment.
        document: the name of the document for many.
    """

    def __init__(
        self,
        context: Context,
        options: ChangeOptions,
        changes: Sequence[LinkChange],
        document: str = "link-many",
    ) -> None:
        super().__init__(context, options)
        self.changes, self.document = changes, document

    def foreseen(self, dry_run: DryRun) -> int:
        done = [Done(change, Outcome(change.subject, change.subject)) for change in self.changes]
        return self.ended([*done, *dry_run.refused])

    def changed(self, ended: Sequence[Ended]) -> None:
        """All is shown at the end, as in a dry run."""

    def has_changed(self, done: Done) -> bool:
        return bool(cast("LinkChange", done.change).added)

    def ended(self, ended: Sequence[Ended]) -> int:
        code, done = (
            self.code_of(ended),
            [done_change for done_change in ended if isinstance(done_change, Done)],
        )
        changes = [cast("LinkChange", done_change.change) for done_change in done]
        if not self.options.is_many:
            return self._end_one(done[0], changes[0])
        linked = [(change.subject, snapshot) for change in changes for snapshot in change.added]
        warnings = shared_items(self.context.workspace, linked)
        refused = [refusal for refusal in ended if isinstance(refusal, Refusal)]
        entries = [
            {"id": done_change.id, **fact_entries(done_change.change.entry(done_change.outcome))}
            for done_change in done
        ]
        entries = [{**entry, "error": None} for entry in entries]
        entries += [_refused_entry(refusal) for refusal in refused]
        parts = {"increments": entries, "warnings": warning_entries(warnings)}
        if self._show_document(self.document, code, parts):
            return code
        output.data(*(line for change in changes for line in _change_lines(self.context, change)))
        tell_refusals(refused)
        tell_warnings(warnings)
        output.talk(self._sum(changes, failed=len(refused)))
        return code

    def _sum(self, changes: Sequence[LinkChange], *, failed: int) -> str:
        done = [change for change in changes if change.added]
        links = [item.link.key for change in done for item in change.added]
        items = times(len(set(links)), "item")
        already_linked = sum(len(change.known) for change in self.changes)
        already = f"; {already_linked} linked already" if already_linked else ""
        each = f" ({len(links)} links)" if len(links) > len(set(links)) else ""
        where = times(len(done), "increment") + each
        if self.options.dry_run:
            return f"{items} would be linked to {where}{already}; nothing was written."
        left = ""
        if failed:
            left = f"; {times(failed, 'increment')} failed, repeat the command for these"
        return f"{items} linked to {where}{already}{left}; nothing was posted."

    def _end_one(self, done: Done, change: LinkChange) -> int:
        seen, increment = change.seen, done.increment
        warnings = self._warnings(done, change)
        parts = {
            "id": increment.id,
            "linked": [item_entry(snapshot) for snapshot in seen],
            "warnings": warning_entries(warnings),
        }
        if self._show_document("link", 0, parts):
            return 0
        for snapshot in seen:
            output.ok(seen_line(self.context.workspace.registry, snapshot, columns=14).strip())
        tell_warnings(warnings)
        if self.options.dry_run:
            output.talk(f"These would be linked to {increment.id}; nothing was written.")
        else:
            output.talk(f"Linked to {increment.id}; nothing was posted.")
        return 0

    def _warnings(self, done: Done, change: LinkChange) -> Sequence[UnlatchError]:
        similar_work = part("similar", of="unlatch.related")  # slow to load
        workspace, increment, seen = self.context.workspace, done.increment, change.seen
        shared = shared_items(workspace, [(increment, snapshot) for snapshot in seen])
        titles = (snapshot.item.title for snapshot in seen if snapshot.item)
        similar = (similar_work(workspace, title, apart=increment.id) for title in titles)
        alike = {str(warning): warning for works in similar for warning in works}
        return [*shared, *closed_warnings(increment, seen), *alike.values()]

    def _show_document(self, name: str, code: int, parts: output.Json) -> bool:
        return show_plan(
            self.context,
            name,
            code,
            {**parts, "dryRun": self.options.dry_run},
            as_json=self.options.as_json,
            about=[change.subject for change in self.changes],
            read=[snapshot.item for change in self.changes for snapshot in change.seen],
        )


def _refused_entry(refusal: Refusal) -> output.Json:
    return {"id": refusal.id, "linked": [], "already": [], "error": problem_entry(refusal.error)}


def _change_lines(context: Context, plan: LinkChange) -> Iterator[str]:
    yield f"{output.good(output.sign('ok'))} {output.strong(plan.subject.id)}"
    for snapshot in plan.added:
        yield seen_line(context.workspace.registry, snapshot, columns=14)
    for snapshot in plan.known:
        yield output.faint(f"    {output.clean(snapshot.name)} is linked already")
