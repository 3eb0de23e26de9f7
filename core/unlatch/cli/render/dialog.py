"""What a command asks and shows while its changes are carried out, alike for one and for many."""

from __future__ import annotations

from collections import Counter
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from shlex import join
from typing import TYPE_CHECKING, Any

from unlatch.cli.render.notes import tell_remarks
from unlatch.cli.terminal import output
from unlatch.lifecycle.change import Done, Refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from unlatch.cli.runtime.context import Context
    from unlatch.delivery.preview import Preview
    from unlatch.delivery.task import Delivery
    from unlatch.increments.model.increment import Increment
    from unlatch.lifecycle.change import Change, ChangeOptions, DryRun, Ended, Place, Work
    from unlatch.lifecycle.deliver import DeliveryResult


class Dialog:
    """The `Prompts` of a command; a command has one of its own for what differs.

    Attributes:
        doing: the title of the progress bar.
        moves: whether the status of increments changes.
        sums: whether many deliveries are summed up, also of one increment.
        keys: those of the document for one change, besides the increment, in their order.
        keys_of_many: those of an increment in the document for many, likewise.
    """

    doing = "Changing"
    moves = True
    sums = False
    keys: tuple[str, ...] = ("warnings",)
    keys_of_many: tuple[str, ...] = ("warnings", "error")

    def __init__(self, context: Context, options: ChangeOptions) -> None:
        self.context, self.options = context, options
        # The name of the document for one change.
        self.document = options.command

    def at(self, place: Place) -> Context:
        """The context over a place."""
        return self.context

    def foreseen(self, dry_run: DryRun) -> int:
        from unlatch.cli.render.preview import tell_preview  # noqa: PLC0415  (slow to load)

        options, context = self.options, self.context
        if not options.is_many:
            (preview,), excess = dry_run.previews, dry_run.excess
            warnings = (*preview.warnings, *((excess,) if excess else ()))
            more = self.foreseen_keys(preview)
            preview = replace(preview, warnings=warnings)
            return tell_preview(context, preview, as_json=options.as_json, more=more)

        from unlatch.cli.render.preview import tell_previews  # noqa: PLC0415  (as above)

        command = join(["unlatch", *options.command.split()])
        return tell_previews(context, dry_run, command=command, as_json=options.as_json)

    def foreseen_keys(self, _preview: Preview) -> output.Json:
        """Further keys of the document of a dry run."""
        return {}

    def agree(self, works: Sequence[Work]) -> None:
        from unlatch.cli.render.agreement import agree_to_pending  # noqa: PLC0415  (as above)

        options = self.options
        agree_to_pending(self.subjects(works), yes=options.yes, silent=options.as_json)

    def refuse_others(self, works: Sequence[Work]) -> None:
        """With --own-pending, refuse what others left pending, without a question."""
        if not self.options.own_pending:
            return
        from unlatch.cli.render.agreement import refuse_pending_of_others  # noqa: PLC0415

        refuse_pending_of_others(self.subjects(works))

    def subjects(self, works: Sequence[Work]) -> list[tuple[Context, list[Increment]]]:
        """The increments whose pending operations are delivered, by the context over them."""
        return [
            (self.at(work.place), [change.subject for change in work.changes]) for work in works
        ]

    def confirm(self, changes: Sequence[Any]) -> Sequence[Change] | None:
        return changes

    def declined(self) -> int:
        from unlatch.cli.runtime.failure import DECLINED  # noqa: PLC0415  (rarely needed)

        output.talk("Nothing was changed.")
        return DECLINED

    @contextmanager
    def changing(self, total: int) -> Iterator[Callable[[Ended], None]]:
        with _bar(total, self.doing) as advance:

            def report(ended: Ended) -> None:
                advance()
                if isinstance(ended, Refusal):
                    self.context.trace(ended.error)
                elif self.options.as_json:
                    tell_remarks(ended.outcome.increment)
                elif not _is_terse(total):
                    self.tell(ended)

            yield report

    def tell(self, done: Done) -> None:
        """Show one change."""

    def changed(self, ended: Sequence[Ended]) -> None:
        if self.options.as_json:
            return
        done = [change for change in ended if isinstance(change, Done)]
        if self.moves and _is_terse(len(done)):
            from unlatch.cli.render.describe import times  # noqa: PLC0415  (rarely needed)

            before = Counter(change.outcome.before.status.value for change in done)
            each = ", ".join(f"{count:,} {status}" for status, count in before.items())
            now = done[0].outcome.increment.status
            output.ok(f"{times(len(done), 'increment')} {now} now: {each} before")
        if refused := [refusal for refusal in ended if isinstance(refusal, Refusal)]:
            from unlatch.cli.render.preview import tell_refusals  # noqa: PLC0415  (rarely needed)

            tell_refusals(refused)

    def delivering(
        self, place: Place, total: int
    ) -> AbstractContextManager[Callable[[str, Delivery], None]]:
        from unlatch.cli.render.deliveries import show_deliveries  # noqa: PLC0415  (as above)

        options = self.options
        sums = self.sums or options.is_many
        return show_deliveries(self.at(place), total, silent=options.as_json, sums=sums)

    def postponed(self, total: int) -> None:
        from unlatch.cli.render.describe import times  # noqa: PLC0415  (rarely needed)

        output.talk(f"{times(total, 'operation')} pending. Next: unlatch sync")

    def ended(self, ended: Sequence[Ended]) -> int:
        code = self.code_of(ended)
        if self.options.as_json:
            self.write_document(ended, code)
        elif not self.options.offline:
            self.tell_left([change for change in ended if isinstance(change, Done)])
        return code

    def code_of(self, ended: Sequence[Ended]) -> int:
        """The exit code."""
        codes = [self.code(end) if isinstance(end, Done) else end.error.exit_code for end in ended]
        if not self.options.is_many:
            return max(codes, default=0)
        from unlatch.cli.runtime.failure import code_of_many  # noqa: PLC0415  (for many alone)

        done = [change for change in ended if isinstance(change, Done)]
        return code_of_many(codes, changed=any(map(self.has_changed, done)))

    def code(self, done: Done) -> int:
        """The exit code of one change."""
        if done.delivered is None or done.delivered.on_purpose:
            return 0
        from unlatch.cli.render.delivery_documents import delivered_code  # noqa: PLC0415

        return delivered_code(done.delivered.deliveries, done.delivered.left)

    def has_changed(self, done: Done) -> bool:
        """Whether something is not as before: a status, an item, or what is pending."""
        outcome, delivered = done.outcome, done.delivered
        is_moved = outcome.before.status is not outcome.increment.status
        is_tried = bool(delivered and delivered.deliveries and not delivered.on_purpose)
        return is_moved or is_tried or bool(outcome.fresh)

    def tell_left(self, done: Sequence[Done]) -> None:
        """Name the operations that are still pending, and the next step."""
        from unlatch.cli.render.deliveries import tell_all_left  # noqa: PLC0415  (as above)

        tell_all_left(deliveries_of(done))

    def write_document(self, ended: Sequence[Ended], code: int, **more: Any) -> None:
        """Print the document for a program, of one change or of many, with further keys."""
        if self.options.is_many:
            entries = [self.entry(end) for end in ended]
            self.print_document(f"{self.document}-many", code, increments=entries, **more)
            return
        (done,) = (change for change in ended if isinstance(change, Done))
        parts = self.parts(done)
        facts = {key: parts[key] for key in self.keys if key in parts}
        self.print_document(self.document, code, increment=moved_entry(done), **facts, **more)

    def print_document(self, name: str, code: int, **parts: Any) -> None:
        from unlatch.cli.render.delivery_documents import print_document  # noqa: PLC0415

        print_document(name, code, **parts)

    def entry(self, ended: Ended) -> output.Json:
        """One of many in the document."""
        if isinstance(ended, Done):
            entry, parts = moved_entry(ended), self.parts(ended)
        else:
            from unlatch.cli.render.preview import refused_entry  # noqa: PLC0415  (rarely needed)

            refused = refused_entry(ended)
            entry = {key: refused[key] for key in ("id", "status", "previousStatus")}
            parts = {**_NOTHING, "error": refused["error"]}
        return entry | {key: parts[key] for key in self.keys_of_many}

    def parts(self, done: Done) -> output.Json:
        """What a document says of a change, besides the increment."""
        from unlatch.cli.render.documents import fact_entries, warning_entries  # noqa: PLC0415

        facts = fact_entries(done.change.entry(done.outcome))
        if "warnings" in facts:
            facts["warnings"] += warning_entries(done.failed)
        left = done.delivered.left if done.delivered else 0
        return {**facts, "trackers": self.deliveries(done), "left": left, "error": None}

    def deliveries(self, done: Done) -> list[output.Json]:
        """The result of each item; of many, what was left on purpose is only counted."""
        delivered = done.delivered
        if delivered is None or (self.options.is_many and delivered.on_purpose):
            return []
        from unlatch.cli.render.delivery_documents import delivery_entry  # noqa: PLC0415

        return [*map(delivery_entry, delivered.deliveries)]


# The parts of an increment that stays as it is.
_NOTHING: output.Json = {
    **{key: [] for key in ("trackers", "spared", "forced", "warnings")},
    **dict.fromkeys(("reopen", "scope", "evidence", "undone")),
    "left": 0,
}


def moved_entry(done: Done) -> output.Json:
    """The increment after a change, with its status before."""
    from unlatch.cli.render.documents import increment_entry  # noqa: PLC0415  (for programs alone)

    before, is_lost = done.outcome.before.status, done.outcome.is_reason_lost
    return increment_entry(done.increment, before, is_reason_lost=is_lost)


def _bar(total: int, what: str) -> AbstractContextManager[Callable[[], None]]:
    if total == 1:
        return nullcontext(lambda: None)
    from unlatch.cli.terminal.progress import bar  # noqa: PLC0415  (for many alone)

    return bar(total, what)


def _is_terse(total: int) -> bool:
    """Whether so many are summed up, in place of a line for each."""
    if total == 1:
        return False
    from unlatch.cli.terminal.progress import FEW  # noqa: PLC0415  (as above)

    return total > FEW


def deliveries_of(done: Sequence[Done]) -> list[DeliveryResult]:
    """The results of what was delivered, or left on purpose."""
    return [change.delivered for change in done if change.delivered is not None]
