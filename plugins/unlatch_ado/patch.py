"""The one guarded request that changes a work item."""

from __future__ import annotations

from dataclasses import dataclass, replace

from unlatch.spi import Change, as_html, visible


@dataclass(frozen=True, slots=True)
class Step:
    """One operation of a JSON patch document (RFC 6902)."""

    op: str
    path: str
    value: str | int


@dataclass(frozen=True, slots=True)
class Plan:
    """What one request shall do to a work item.

    Args:
        revision: the revision that it was planned for; None for an item that is yet to be made.
        fields: new values of fields, by their reference names.
        tags: the item's tags before and after.
        comment: HTML to add to the discussion.
    """

    revision: int | None
    fields: tuple[tuple[str, str], ...] = ()
    tags: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    comment: str | None = None

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to do."""
        before, after = self.tags
        return not self.fields and before == after and self.comment is None

    def steps(self) -> tuple[Step, ...]:
        """The patch document.

        The first step fails the whole document if the item has changed since it was read, so that
        tags can be replaced as a set (`add` merges them) and a replay does nothing.
        """
        steps = [] if self.revision is None else [Step("test", "/rev", self.revision)]
        steps += [Step("add", f"/fields/{name}", value) for name, value in self.fields]
        before, after = self.tags
        if before != after:
            steps.append(
                Step("replace" if before else "add", "/fields/System.Tags", "; ".join(after))
            )
        if self.comment is not None:
            steps.append(Step("add", "/fields/System.History", self.comment))
        return tuple(steps)

    def without_new_tags(self) -> Plan:
        """The same, adding no tag that the item does not have."""
        before, after = self.tags
        known = {tag.casefold() for tag in before}
        return replace(self, tags=(before, tuple(t for t in after if t.casefold() in known)))


def comment_of(change: Change) -> str | None:
    """The comment with its marker.

    The marker is visible: an HTML comment may be sanitised away.
    """
    if change.comment is None:
        return None
    return f"{as_html(change.comment)}<p>{visible(change.op)}</p>"


def read_tags(field: str | None) -> tuple[str, ...]:
    """The tags in the field System.Tags."""
    return tuple(tag.strip() for tag in (field or "").split(";") if tag.strip())


def changed_tags(before: tuple[str, ...], change: Change) -> tuple[str, ...]:
    """The tags after `change`; the others stay as they are, in their order.

    Azure DevOps takes tags that differ by case alone for the same tag.
    """
    unwanted = {tag.casefold() for tag in change.remove_labels}
    wanted = [tag for tag in before if tag.casefold() not in unwanted]
    for tag in change.add_labels:
        if tag.casefold() not in {known.casefold() for known in wanted}:
            wanted.append(tag)
    return tuple(wanted)
