"""unlatch link and unlink: items of an increment, by their addresses and names."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from shlex import join, quote
from typing import TYPE_CHECKING, Any

import click

from unlatch.cli.options.common import BY, complete_tracker, dry_run_option, flag, with_json
from unlatch.cli.options.delivery import MAX_TIME
from unlatch.cli.options.increments import increment_argument, pick_increment
from unlatch.cli.options.items import example_address
from unlatch.cli.render.describe import times
from unlatch.cli.render.documents import link_entry
from unlatch.cli.render.preview import tell_refusals
from unlatch.cli.runtime.context import Context, is_interactive
from unlatch.cli.runtime.failure import code_of_many, part, problem_entry
from unlatch.cli.runtime.increments import Named, named_increment, named_increments
from unlatch.cli.runtime.item_words import items_typed
from unlatch.cli.runtime.passing import show_plan
from unlatch.cli.runtime.picker import pick_link
from unlatch.cli.runtime.work_references import Reference, read_reference, run_instead
from unlatch.cli.terminal import output, prompts
from unlatch.errors import UsageError
from unlatch.increments.model.increment import Increment
from unlatch.increments.model.link import Link
from unlatch.lifecycle.carry_out import carry_out, plan_each
from unlatch.lifecycle.change import ChangeOptions, Place, Refusal, Work
from unlatch.project.find_increment import find_increment, find_range

if TYPE_CHECKING:
    from unlatch.lifecycle.linking.file import LinkChange


@click.command()
@increment_argument("named", metavar="[ID...] [ITEM|URL...]", nargs=-1)
@click.option(
    "--create",
    "creates",
    metavar="TRACKER",
    multiple=True,
    shell_complete=complete_tracker,
    help="Create an item on TRACKER for each ID, and link it.",
)
@flag("--per-story", help="With --create: an item for each user story that has none.")
@click.option(
    "--file", metavar="FILE", help="Link the items in a file of lines ID URL; - reads stdin."
)
@flag("--suggest", help="Suggest items for increments without one; link nothing.")
@click.option(
    *("--test", "tests"), metavar="NAME", multiple=True, help="Link a test that guards the work."
)
@BY
@dry_run_option("Show the changes, and write nothing.")
@MAX_TIME
@with_json
def run(
    context: Context,
    *,
    named: tuple[str, ...],
    creates: tuple[str, ...],
    file: str | None,
    suggest: bool,
    per_story: bool,
    tests: tuple[str, ...],
    **typed: Any,
) -> int:
    if len(creates) > 1 or (creates and set(named) & context.workspace.settings.keys()):
        # Each creation asks, fails and is recorded separately.
        raise click.UsageError("--create takes one tracker: run the command once for each")
    create = next(iter(creates), None)
    if sum(map(bool, (create, file, suggest, tests))) > 1 or (file and named):
        raise click.UsageError("give addresses, --create, --file, --test or --suggest; just one")
    if tests:
        return _change_tests(context, "link", named, tests, **typed)
    if file:
        return _link_file(context, file, **typed)
    if suggest:
        from unlatch.cli.commands.trackers.link_lines import link_suggest  # noqa: PLC0415

        increments = named_increments(context, named).names
        return link_suggest(context, increments, as_json=typed["as_json"])
    if not create and len(named) == 2 and (other := read_reference(named[1])):  # noqa: PLR2004
        return run_instead(other, "link", named[0])
    named = items_typed(context, named)
    named = _with_id(named, takes_items=create is None)
    if per_story and not create:
        raise click.UsageError("--per-story goes with --create")
    if create:
        return _create(context, create, named, per_story=per_story, **typed)
    _check_id(named[0])
    first = next((n for n, word in enumerate(named) if n and _is_item(context, word)), len(named))
    words, urls = named[:first], list(named[first:])
    urls = urls or [_ask_item(context, words)]
    return _link(context, named_increments(context, words), urls, **typed)


def _change_tests(
    context: Context, command: str, words: tuple[str, ...], tests: tuple[str, ...], **typed: Any
) -> int:
    """Link tests to an increment, or unlink them."""
    names = named_increments(context, _with_id(words, takes_items=False)).names
    if len(names) > 1:
        raise click.UsageError("--test takes one increment")
    change: Callable[..., int] = part(command, of="unlatch.tests")
    return change(context, names[0], tests, **typed)


def _ask_item(context: Context, words: tuple[str, ...]) -> str:
    """The item, which a terminal asks for; UsageError `link-what` elsewhere."""
    *ids, last = words
    for word in ids or words:
        if not _is_increment(context, word):
            named_increments(context, (word,))  # raises the error for it
    if ids and not _is_increment(context, last):
        message = f"{last!r} is neither an increment nor the address or name of an item"
    elif is_interactive():
        return prompts.prompt("Item, by its address or name")
    else:
        ids = [*words]
        message = "name items by their addresses or names, or --create TRACKER"
    hint = f"unlatch link {join([*ids, example_address(context.workspace)])}"
    raise UsageError("link-what", message, hint=hint)


def _is_increment(context: Context, word: str) -> bool:
    with suppress(UsageError):
        return bool(find_range(context.workspace, word) or find_increment(context.workspace, word))
    return False


def _with_id(named: tuple[str, ...], *, takes_items: bool) -> tuple[str, ...]:
    """The words, after an ID that the user picks where they are items or none."""
    if named and not (takes_items and all("://" in word for word in named)):
        return named
    if picked := pick_increment(click.get_current_context()):
        return picked, *named
    if not named:
        raise click.UsageError("Missing argument 'ID'.")
    return named


def _is_item(context: Context, word: str) -> bool:
    """Whether a word after the IDs is an item; one with the name of an increment is an ID."""
    return "://" in word or context.is_item(word)


def _create(
    context: Context, tracker: str, named: Sequence[str], *, as_json: bool, **options: Any
) -> int:
    from unlatch.cli.commands.trackers.tracker import create_items  # noqa: PLC0415

    for word in named:
        _check_id(word)
    increments = named_increments(context, named)
    if as_json and increments.is_many:
        raise click.UsageError("with --create, --json takes one increment")
    names = increments.names
    return create_items(context, tracker, names, stories=(), as_json=as_json, **options)


def _check_id(wanted: str) -> None:
    if "://" in wanted:
        raise UsageError(
            "id-is-url",
            f"the ID of an increment comes first, not an address: {wanted}",
            hint=f"unlatch link ID {quote(wanted)}",
        )


def _link(
    context: Context, named: Named, urls: Sequence[str], *, by: str | None, **given: Any
) -> int:
    from unlatch.lifecycle.linking.file import LinkChange  # noqa: PLC0415  (rarely needed)
    from unlatch.lifecycle.linking.link import fetch_named  # noqa: PLC0415

    workspace, is_many = context.workspace, named.is_many
    options = ChangeOptions(command="link", is_many=is_many, **given)
    with context.trackers() as trackers:
        if not is_many:
            workspace.manager.read(named.names[0])
        seen = fetch_named(trackers, urls)
    # A dry run needs no name.
    who = "" if options.dry_run else context.who(by)

    def plan(name: str) -> LinkChange:
        change = LinkChange(workspace.manager.read(name), who)
        for item in seen:
            change.add(item)
        return change

    changes, refused = plan_each(workspace, named.names, plan, stops=not is_many)
    return _carry_out(context, changes, refused, options, "link-many")


def _link_file(context: Context, file: str, *, by: str | None, **given: Any) -> int:
    from unlatch.cli.commands.trackers.link_lines import read_links_file  # noqa: PLC0415
    from unlatch.lifecycle.linking.file import plan_links  # noqa: PLC0415  (rarely needed)

    options = ChangeOptions(command="link", is_many=True, **given)
    text, where = read_links_file(file)
    who = "" if options.dry_run else context.who(by)
    with context.trackers() as trackers:
        changes = plan_links(context.workspace, trackers, text, where=where, by=who)
    return _carry_out(context, changes, (), options, "link-file")


def _carry_out(
    context: Context,
    changes: "Sequence[LinkChange]",
    refused: Sequence[Refusal],
    options: ChangeOptions,
    document: str,
) -> int:
    from unlatch.cli.commands.trackers.link_dialog import LinkDialog  # noqa: PLC0415

    dialog = LinkDialog(context, options, changes, document)
    return carry_out([Work(Place(context.workspace), changes, refused)], dialog, options)


_UNLINKED = {False: "unlinked", True: "would be unlinked"}
# An item without an increment has no link; where an increment has the item as well, its link stays.
_LEFT = {False: "left as it is", True: "would be left as it is"}


@click.command()
@increment_argument("words", metavar="[ID...] ITEM|URL", nargs=-1)
@click.option("--test", "tests", metavar="NAME", multiple=True, help="Unlink a test.")
@BY
@dry_run_option("Show the changes, and write nothing.")
@flag("--yes", "-y", help="For scripts: unlink never asks.", expose_value=False)
@with_json
def unlink(
    context: Context,
    *,
    words: tuple[str, ...],
    tests: tuple[str, ...],
    by: str | None,
    dry_run: bool,
    as_json: bool,
) -> int:
    from unlatch.cli.commands.items.withdraw import withdraw_item  # noqa: PLC0415
    from unlatch.lifecycle.linking.link import unlink_item  # noqa: PLC0415

    if tests:
        options = {"by": by, "dry_run": dry_run, "as_json": as_json}
        return _change_tests(context, "unlink", words, tests, **options)
    if len(words) == 2 and (other := read_reference(words[1])):  # noqa: PLR2004
        return _unlink_other(context, words[0], other)
    who, words = context.who(by), items_typed(context, words)
    if withdrawn := withdraw_item(context, words, by=who, dry_run=dry_run):
        return _tell_unlinked(context, *withdrawn, _LEFT, dry_run=dry_run, as_json=as_json)
    named, item = _ids_and_item(context, words)

    def change(name: str) -> tuple[str, Link, int]:
        return name, *unlink_item(context.workspace, name, item, by=who, dry_run=dry_run)

    if named.is_many:
        return _unlink_many(context, named, change, dry_run=dry_run, as_json=as_json)
    name, link, dropped = change(named.names[0])
    return _tell_unlinked(context, name, link, dropped, _UNLINKED, dry_run=dry_run, as_json=as_json)


def _unlink_other(context: Context, wanted: str, other: Reference) -> int:
    from unlatch.related.belonging import Search  # noqa: PLC0415  (rarely needed)
    from unlatch.related.kinds import kind_named  # noqa: PLC0415

    workspace, name = context.workspace, named_increment(context, wanted)
    kind = kind_named(other.kind)
    work_id = kind.find(workspace, other.name)
    # It knows no other work that leads here: that of a session's effort can have its own increment.
    search = Search(workspace, workspace.manager.read(name))
    if all(work.id != work_id for work in kind.related(workspace, search)):
        hint, message = f"unlatch show {quote(name)}", f"does not belong to {name} itself"
        raise UsageError("item-not-linked", f"{other.kind}:{work_id} {message}", hint=hint)
    return run_instead(other, "link", flag="--remove", without={"yes"})


def _tell_unlinked(
    context: Context,
    name: str,
    link: Link,
    dropped: int,
    said: Mapping[bool, str],
    *,
    dry_run: bool,
    as_json: bool,
) -> int:
    parts = {"id": name, "unlinked": link_entry(link), "dropped": dropped, "dryRun": dry_run}
    about = () if said is _LEFT else _named(context, [name])
    if show_plan(context, "unlink", 0, parts, as_json=as_json, about=about):
        return 0
    output.ok(f"{output.clean(link.key)} {said[dry_run]}")
    _tell_dropped(dropped, dry_run=dry_run)
    return 0


def _ids_and_item(context: Context, words: tuple[str, ...]) -> tuple[Named, str]:
    """The increments and the item; the user picks what is missing."""
    ids, item = words[:-1], words[-1] if len(words) > 1 else None
    if len(words) == 1:
        ids, item = ((), words[0]) if context.is_item(words[0]) else (words, None)
    ctx = click.get_current_context()
    if not ids:
        picked = pick_increment(ctx)
        if picked is None:
            why = f" Nothing is pending on {output.clean(item)} alone." if item else ""
            raise click.UsageError(f"Missing argument 'ID...'.{why}")
        ids = (picked,)
    named = named_increments(context, ids)
    if item is None:
        increment = context.workspace.manager.read(named.names[0])
        link = None if named.is_many else pick_link(increment.links, f"{ctx.command_path}: ")
        if link is None or not is_interactive():
            raise click.UsageError("Missing argument 'ITEM|URL'.")
        item = link.url or link.key
    return named, item


def _unlink_many(
    context: Context,
    named: Named,
    change: Callable[[str], tuple[str, Link, int]],
    *,
    dry_run: bool,
    as_json: bool,
) -> int:
    done, refused = plan_each(context.workspace, named.names, change)
    codes = (refusal.error.exit_code for refusal in refused)
    code = code_of_many(codes, changed=bool(done))
    entries = {name: _unlinked_entry(name, link, dropped) for name, link, dropped in done}
    entries |= {refusal.id: _left_entry(refusal) for refusal in refused}
    parts = {"increments": [entries[name] for name in named.names], "dryRun": dry_run}
    about = _named(context, named.names)
    if show_plan(context, "unlink-many", code, parts, as_json=as_json, about=about):
        return code
    for name, link, _ in done:
        output.ok(f"{output.clean(name)}: {output.clean(link.key)} {_UNLINKED[dry_run]}")
    tell_refusals(refused)
    _tell_dropped(sum(dropped for _, _, dropped in done), dry_run=dry_run)
    return code


def _named(context: Context, names: Sequence[str]) -> Iterator[Increment]:
    """The increments; read only if a plan needs them."""
    yield from map(context.workspace.manager.read, names)


def _unlinked_entry(name: str, link: Link, dropped: int) -> output.Json:
    return {"id": name, "unlinked": link_entry(link), "dropped": dropped, "error": None}


def _left_entry(refusal: Refusal) -> output.Json:
    return {"id": refusal.id, "unlinked": None, "dropped": 0, "error": problem_entry(refusal.error)}


def _tell_dropped(dropped: int, *, dry_run: bool) -> None:
    if dropped:
        verb = "Would drop" if dry_run else "Dropped"
        output.talk(f"{verb} {times(dropped, 'pending operation')}.")
    if dry_run:
        output.talk("Nothing was written.")
