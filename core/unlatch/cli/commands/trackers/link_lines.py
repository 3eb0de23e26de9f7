"""unlatch link --file and --suggest: links as lines of an ID and a URL."""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from unlatch.cli.render.describe import times
from unlatch.cli.render.notes import tell_left_out
from unlatch.cli.runtime.context import Context
from unlatch.cli.runtime.failure import problem_entry
from unlatch.cli.terminal import output, prompts
from unlatch.errors import UsageError
from unlatch.lifecycle.linking.suggestions import MOST_LISTED, Proposal, Suggestions, suggest_links

_STDIN = "-"
# Characters; some hundred thousand links.
_MOST = 8 << 20


def read_links_file(file: str) -> tuple[str, str]:
    """The text of `link --file`, and the name of the place that it is from.

    Raises:
        UsageError: `links-file-unreadable`.
    """
    where = "standard input" if file == _STDIN else file
    return _read(file, where), where


def _read(file: str, where: str) -> str:
    try:
        with prompts.asking():
            text = sys.stdin.read(_MOST + 1) if file == _STDIN else _content(file)
    except OSError as error:
        raise _unreadable(error.strerror or str(error), where) from error
    except UnicodeDecodeError as error:
        raise _unreadable("it is not UTF-8 text", where) from error
    if len(text) > _MOST:  # the rest is not read, and may be endless
        raise _unreadable(f"it has more than {_MOST:,} characters", where)
    if "\0" in text:
        raise _unreadable("it is not UTF-8 text", where)
    return text


def _content(file: str) -> str:
    with Path(file).open(encoding="utf-8", newline="") as opened:
        return opened.read(_MOST + 1)


def _unreadable(reason: str, where: str) -> UsageError:
    return UsageError(
        "links-file-unreadable",
        f"the links cannot be read: {reason}",
        where=where,
        hint="name a file of lines ID URL; - is standard input",
    )


def link_suggest(context: Context, wanted: Sequence[str], *, as_json: bool) -> int:
    """Suggest items for increments without one, as lines for `--file`; the exit code."""
    workspace = context.workspace
    workspace.check_config()
    with context.trackers() as trackers:
        suggestions = suggest_links(workspace, trackers, wanted)
        lines = [
            _suggestion(proposal, trackers.settings(item.ref.tracker).name(item.ref), item.title)
            for proposal in suggestions.proposals
            for item in proposal.items
        ]
    # Items of broken increments may be proposed for other increments.
    left_out = tell_left_out(suggestions.broken)
    if suggestions.errors and not suggestions.listed:
        raise next(iter(suggestions.errors.values()))
    code = 1 if suggestions.errors else left_out
    if as_json:
        output.document("link-suggest", code, **_suggestions_document(suggestions))
        return code
    output.talk(*lines)
    output.data(*_lines(suggestions.proposals))
    output.talk(*_summary(context, suggestions))
    return code


def _suggestion(proposal: Proposal, name: str, title: str) -> str:
    why = output.clean(proposal.evidence(proposal.items[0]))
    mark, rivals = output.good(output.sign("ok", sys.stderr)), ""
    if not proposal.is_clear:
        mark, rivals = output.warn("?"), ", not the only one"
    item = f'{output.clean(name)} "{output.clean(title)}"'
    return f"{mark} {proposal.increment.id}: {item} ({why}{rivals})"


def _lines(proposals: Sequence[Proposal]) -> Iterator[str]:
    for proposal in proposals:
        if proposal.is_clear:
            item = proposal.items[0]
            why, title = map(output.clean, (proposal.evidence(item), item.title))
            yield f"{proposal.increment.id} {item.ref.url} # {why}: {title}"


def _summary(context: Context, suggestions: Suggestions) -> Iterator[str]:
    titles = {
        name: manifest.title for name, manifest in context.workspace.registry.manifests.items()
    }
    for name, count in suggestions.listed.items():
        full = f", only the newest {MOST_LISTED}" if count == MOST_LISTED else ""
        lacking, read = times(suggestions.lacking[name], "increment"), times(count, "item")
        yield output.faint(f"{titles[name]}: {lacking} without an item; {read} read{full}.")
    for name, error in suggestions.errors.items():
        yield output.warn(f"{titles[name]}: {output.clean(error.message)} [{error.id}]")
    if any(proposal.is_clear for proposal in suggestions.proposals):
        yield "Nothing was linked. Keep the lines that are right: unlatch link --file FILE"
    elif not suggestions.proposals:
        yield "No suggestions; nothing was linked."
    if not all(proposal.is_clear for proposal in suggestions.proposals):
        yield "To choose between those marked ?: unlatch link ID URL"


def _suggestions_document(suggestions: Suggestions) -> output.Json:
    return {
        "proposals": [
            {
                "increment": proposal.increment.id,
                **output.fields(proposal, "tracker", "ground"),
                "clear": proposal.is_clear,
                "items": [
                    {**output.fields(item.ref, "id", "url"), "title": item.title}
                    for item in proposal.items
                ],
            }
            for proposal in suggestions.proposals
        ],
        **output.fields(suggestions, "listed", "lacking"),
        "errors": [
            {"tracker": name, **problem_entry(error)} for name, error in suggestions.errors.items()
        ],
    }
