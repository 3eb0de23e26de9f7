"""Compare the recorded effects of operations with what the trackers show."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

from unlatch.errors import NotFound
from unlatch.increments.records.links import identity
from unlatch.spi.text import op_posted, ops_in
from unlatch_audit.verify.results import Check, Part, Verdict, differs

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from unlatch.spi import MarkedComment, StateChange
    from unlatch_audit.verify.claims import Claim
    from unlatch_audit.verify.evidence import Evidence, Identity

# "by NAME, 2025-11-04 09:30 UTC" in the full comment style, letters and digits alone.
_SIGNED_AT = re.compile(r"\d{12}utc")
# A name ends at one of these marks, or where no letter or digit follows before a space.
_END = r"(?=[,;:)<]|(?!\S*[^\W_]))"
# Markdown has it in front of names and numbers (`spi.render`).
_SPACE = "&#8203;"
_NUMBERED = re.compile(r"increment[\W_]*\d{3}")
_OK = Verdict.OK


def _is_signed(said: str) -> bool:
    """Whether a name and a time are in a comment, in this order."""
    times = [match.start() for match in _SIGNED_AT.finditer(said)]
    return bool(times) and 0 <= said.find("by") < times[-1] - len("by")


def compare(
    claims: Sequence[Claim],
    evidence: Mapping[Identity, Evidence],
    order: Mapping[Identity, int],
    *,
    has_reason: bool,
) -> dict[str, list[Check]]:
    """Check the claims of one increment; the checks by operation.

    Args:
        order: the place of each linked item; their checks are in this order.
        has_reason: whether comments state the reason, as configured.
    """
    states = _match_states(claims, evidence)
    by_op: dict[str, list[Check]] = defaultdict(list)
    in_order = sorted(
        enumerate(claims), key=lambda pair: order.get(identity(pair[1].link), len(order))
    )
    for number, claim in in_order:
        seen = evidence[identity(claim.link)]
        checks = [_check_access(seen)] if seen.error else []
        if not checks and claim.commented is not False:
            checks.append(_check_comment(claim, seen, has_reason=has_reason))
        if not checks and claim.state is None:
            checks.append(Check(Part.ITEM, _OK))
        if not seen.error and number in states:
            checks.append(states[number])
        tracker, item = claim.link.tracker, seen.name
        by_op[claim.op] += [replace(check, tracker=tracker, item=item) for check in checks]
    return by_op


def _check_access(seen: Evidence) -> Check:
    error = seen.error
    if isinstance(error, NotFound):
        return differs(Part.ITEM, "item-gone", f"the tracker does not show it: {error.message}")
    id_, why = (error.id, error.message) if error else ("", "")
    return Check(Part.ITEM, Verdict.UNCHECKED, id_, why)


def _check_comment(claim: Claim, seen: Evidence, *, has_reason: bool) -> Check:
    marked = [comment for comment in seen.comments if claim.op in ops_in(comment.text)]
    posted = [comment for comment in marked if op_posted(comment.text) == claim.op]
    # Text after the marker comes from an edit, or the comment only quotes the marker.
    posted = posted or [comment for comment in marked if comment.edited]
    if not posted:
        return differs(Part.COMMENT, "comment-missing", "the comment is not there any more")
    counted = [comment for comment in posted if comment.counts is not False]
    if not counted:
        names = ", ".join(comment.author or "an unknown account" for comment in posted)
        text = f"only {names}, without write permission, posted its marker"
        return replace(differs(Part.COMMENT, "comment-author", text), author=posted[0].author)
    if len(counted) > 1:
        ids = ", ".join(comment.id for comment in counted)
        return differs(Part.COMMENT, "comment-twice", f"{len(counted)} comments have it: {ids}")
    checks = [_check_text(claim, comment, seen, has_reason=has_reason) for comment in counted]
    order = [Verdict.OK, Verdict.UNCHECKED, Verdict.DIFFERS]
    return min(checks, key=lambda check: order.index(check.verdict))


def _check_text(claim: Claim, comment: MarkedComment, seen: Evidence, *, has_reason: bool) -> Check:
    fine = Check(Part.COMMENT, _OK, author=comment.author)
    if seen.history is None:
        text = "the comment is there; the plugin does not show its text"
        return replace(fine, verdict=Verdict.UNCHECKED, id="history-not-offered", message=text)
    said = _letters(comment.text)
    # A change without a reason posts no comment.
    reasons = [claim.reason or "", *filter(None, [claim.told])]
    is_missing = has_reason and not any(_letters(reason) in said for reason in reasons)
    if is_missing or claim.is_silent:
        edit = "was edited and " if comment.edited else ""
        text = "states a reason, the event none" if claim.is_silent else "does not state the reason"
        return _wrong(fine, "comment-reason", f"the comment {edit}{text}")
    if claim.signed_at is not None and _is_signed(said):
        makers = [(claim.by, claim.signed_at), *((also.by, also.at) for also in claim.also)]
        named = [(by, at) for by, at in makers if _letters(f"by {by}") in said]
        if not named:
            return _wrong(fine, "comment-person", f"the comment does not name {claim.by}")
        if not any(f"{at:%Y%m%d%H%M}utc" in said for _, at in named):
            return _wrong(fine, "comment-time", "the comment has another time than the entry")
    if comment.counts is None:
        who = comment.author or "its author"
        text = f"whether {who} may write to the item could not be checked"
        return replace(fine, verdict=Verdict.UNCHECKED, id="author-unknown", message=text)
    return fine


def _wrong(check: Check, id: str, message: str) -> Check:
    return replace(check, verdict=Verdict.DIFFERS, id=id, message=message)


def _letters(text: str) -> str:
    """Letters and digits alone: renderers escape the rest, and editors rewrite it."""
    return "".join(filter(str.isalnum, _plain(text)))


def _plain(text: str) -> str:
    return unicodedata.normalize("NFKC", text.replace(_SPACE, "")).casefold()


def _match_states(
    claims: Sequence[Claim], evidence: Mapping[Identity, Evidence]
) -> dict[int, Check]:
    """Find a change on the tracker for each claimed change of state, each for one turn."""
    groups: dict[tuple[Identity, str], list[list[int]]] = defaultdict(list)
    last: dict[Identity, tuple[str, str | None]] = {}
    for number, claim in enumerate(claims):
        if claim.state is None:
            continue
        item, state = identity(claim.link), claim.state.casefold()
        turns = groups[item, state]
        if last.get(item) == (state, claim.turn) and turns:
            turns[-1].append(number)
        else:
            turns.append([number])
        last[item] = state, claim.turn
    checks: dict[int, Check] = {}
    for (item, state), turns in groups.items():
        seen = evidence[item]
        if seen.error is None:
            is_last = last[item][0] == state
            checks |= _match(claims, turns, seen, state, is_last=is_last)
    return checks


def _match(
    claims: Sequence[Claim], turns: list[list[int]], seen: Evidence, state: str, *, is_last: bool
) -> dict[int, Check]:
    if seen.history is None:
        is_now = is_last and seen.item is not None and seen.item.state.casefold() == state
        return {
            number: Check(Part.STATE, _OK) if is_now and turn is turns[-1] else _not_offered()
            for turn in turns
            for number in turn
        }
    changes = [change for change in seen.history.changes if change.state.casefold() == state]
    matched = _nearest(claims, turns, changes)
    is_known = seen.history.is_whole and not seen.is_moved
    return {
        number: Check(Part.STATE, _OK, author=matched[place].by)
        if place in matched
        else _no_change(claims[number], is_known=is_known)
        for place, turn in enumerate(turns)
        for number in turn
    }


def _nearest(
    claims: Sequence[Claim], turns: list[list[int]], changes: Sequence[StateChange]
) -> dict[int, StateChange]:
    """A change for each turn, as many as there are; times only decide which turns have none."""
    pairs = sorted(
        (abs((claims[turn[0]].at - change.at).total_seconds()), place, number)
        for place, turn in enumerate(turns)
        for number, change in enumerate(changes)
    )
    matched: dict[int, StateChange] = {}
    used: set[int] = set()
    for _, place, number in pairs:
        if place not in matched and number not in used:
            matched[place] = changes[number]
            used.add(number)
    return matched


def _no_change(claim: Claim, *, is_known: bool) -> Check:
    text = f"the tracker's history has no such change to {claim.state}"
    if is_known:
        return differs(Part.STATE, "state-missing", text)
    text = f"{text}, and does not show all changes"
    return Check(Part.STATE, Verdict.UNCHECKED, "history-cut", text)


def _not_offered() -> Check:
    text = "the plugin does not show past changes of state"
    return Check(Part.STATE, Verdict.UNCHECKED, "history-not-offered", text)


def unknown_ops(
    names: Collection[str],
    others: Iterable[str],
    ops: frozenset[str],
    evidence: Sequence[tuple[str, Evidence]],
) -> dict[str, list[tuple[str, Evidence, MarkedComment]]]:
    """Comments that name this increment, by operations that its files do not have.

    Args:
        names: the increment's name and earlier ones.
        others: the names of the other increments, which may begin with its name and a space.
    """
    longer = [other for other in others if any(other.startswith(f"{name} ") for name in names)]
    return _unknown(ops, evidence, lambda text: _names(text, names) and not _names(text, longer))


def unknown_ops_of_item(
    ops: frozenset[str], evidence: Sequence[tuple[str, Evidence]]
) -> dict[str, list[tuple[str, Evidence, MarkedComment]]]:
    """Comments that name no increment, by operations that the files of an item do not have."""
    return _unknown(ops, evidence, lambda text: not _NUMBERED.search(_plain(text)))


def _unknown(
    ops: frozenset[str],
    evidence: Sequence[tuple[str, Evidence]],
    is_ours: Callable[[str], bool],
) -> dict[str, list[tuple[str, Evidence, MarkedComment]]]:
    by_op: dict[str, list[tuple[str, Evidence, MarkedComment]]] = defaultdict(list)
    for tracker, seen in evidence:
        for comment in seen.comments:
            op = op_posted(comment.text)
            if op and op not in ops and comment.counts is not False and is_ours(comment.text):
                by_op[op].append((tracker, seen, comment))
    return by_op


def _names(text: str, names: Iterable[str]) -> bool:
    """Whether a comment names one of these increments, and not one that only begins like it."""
    said = _plain(text)
    spelled = (r"[\W_]*".join(_letters(name)) for name in names)
    return any(re.search(rf"increment[\W_]*{name}{_END}", said) for name in spelled)
