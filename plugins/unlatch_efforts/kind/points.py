"""What an effort knows, as points of a briefing: of a long log the end."""

from __future__ import annotations

from shlex import quote
from typing import TYPE_CHECKING, Any

from unlatch.related.briefing.sources import MOST_NEXT, SECTIONS, briefing_from, section_texts
from unlatch.related.highlights import OVERRULED, highlights, overruled
from unlatch.related.points import Briefing, Point

if TYPE_CHECKING:
    from collections.abc import Mapping

    from unlatch.related.kinds import Sources
    from unlatch_efforts.effort_model import Effort
    from unlatch_efforts.transcript import Transcript


def points(ref: str, effort: Effort, transcript: Transcript, sources: Sources) -> Briefing:
    """What the log and the summaries of an effort say."""
    entries, is_whole = transcript.tail(sources.room)
    sources.room -= sum(len(str(entry.get("content"))) for entry in entries)
    sources.room = max(sources.room, 0)
    texts, steps, names = section_texts(), list[str](), list[str]()
    places = {"identifier": names, "next": steps}
    lines = [_masked(entry, sources) for entry in entries]
    corrections = overruled(lines)
    for highlight in highlights(enumerate(lines)):
        kind = highlight.kind
        if kind == "decided" and (words := corrections.get(highlight.line)):
            texts["decisions"] += [f"{OVERRULED} {highlight.text}", f"{words} (correction)"]
            continue
        places.get(kind, texts[SECTIONS.get(kind, "left")]).append(highlight.text)
    texts["left"] += steps[-MOST_NEXT:]
    for reopen in effort.reopens:
        sources.add_summary(texts, reopen.prior_summary)
    sources.add_summary(texts, effort.summary)
    briefing = briefing_from(ref, texts, names)
    if is_whole:
        return briefing
    rest = f"the older part of a long conversation: `unlatch effort show {quote(effort.id)}`"
    return briefing + Briefing(unread=(Point(rest, ref),))


def _masked(entry: Mapping[str, Any], sources: Sources) -> dict[str, Any]:
    """A line of a log with a masked text: what a secret stands next to shows that it is one."""
    content = entry.get("content")
    text = sources.clean(content) if isinstance(content, str) else content
    return {**entry, "content": text}
