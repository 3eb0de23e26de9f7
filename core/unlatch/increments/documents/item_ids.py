"""Finding the parts of a document by the ids that people type, and editing its text."""

from collections.abc import Iterable, Sequence

from unlatch.errors import UsageError
from unlatch.increments.documents.quoting import shown
from unlatch.patterns import pattern

# The offsets of an old text, and the new one.
Edit = tuple[int, int, str]
# Comparing takes time, and a hint does not need every id of a huge file.
_COMPARED = 1000
_SHOWN_LINES = 10
_SUGGESTED = 3
_NUMBERED = pattern(r"(?P<kind>.*[^0-9])(?P<number>[0-9]{1,9})")


def with_edits(text: str, edits: Iterable[Edit]) -> str:
    parts, end = [], 0
    for start, behind, new in sorted(edits):
        parts += [text[end:start], new]
        end = behind
    return "".join((*parts, text[end:]))


def unknown_id(wanted: str, ids: Sequence[str]) -> UsageError:
    """The error for an id that a document does not have; `ids` are those that it has."""
    spelled = {id_.upper(): id_ for id_ in ids[:_COMPARED]}
    near = _nearest(shown(wanted).upper(), list(spelled))
    hint = f"did you mean {' or '.join(spelled[key] for key in near)}?" if near else None
    if hint is None and ids:
        several = f"its ids run from {ids[0]} to {ids[-1]}"
        hint = several if len(ids) > 1 else f"it has {ids[0]}"
    return UsageError(
        "item-unknown",
        f"no task, story or criterion has the id '{shown(wanted)}'",
        hint=hint or "give tasks a heading and criteria a check box that begin with an id",
    )


def _nearest(wanted: str, ids: Sequence[str]) -> list[str]:
    """The ids with the nearest numbers, else those with the most similar characters."""
    numbered = [match for id_ in ids if (match := _NUMBERED.fullmatch(id_))]
    if asked := _NUMBERED.fullmatch(wanted):
        alike = [match for match in numbered if match["kind"] == asked["kind"]]
        number = int(asked["number"])
        near = sorted(alike, key=lambda match: abs(int(match["number"]) - number))
        if near:
            return [match[0] for match in near[:_SUGGESTED]]
    import difflib  # noqa: PLC0415  (only for an error)

    return difflib.get_close_matches(wanted, ids, n=_SUGGESTED)


def ambiguous_id(wanted: str, lines: Sequence[int]) -> UsageError:
    """The error for an id that occurs on several lines."""
    numbers = [str(line) for line in lines]
    if len(numbers) > _SHOWN_LINES:
        numbers = [*numbers[:_SHOWN_LINES], "more"]
    return UsageError(
        "item-ambiguous",
        f"the id '{shown(wanted)}' occurs {len(lines)} times, "
        f"on lines {', '.join(numbers[:-1])} and {numbers[-1]}",
        hint="give each of them an id of its own",
    )
