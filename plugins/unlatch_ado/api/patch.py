"""The one guarded request that changes a work item."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from unlatch.spi import Change, as_html, visible
from unlatch.values import dataclass

if TYPE_CHECKING:
    from unlatch_ado.settings_types import FieldValue

PARENT_LINK = "System.LinkTypes.Hierarchy-Reverse"
RELATED_LINK = "System.LinkTypes.Related"
HYPERLINK = "Hyperlink"
STATE = "System.State"
TITLE = "System.Title"
DESCRIPTION = "System.Description"
ITERATION = "System.IterationPath"
ASSIGNEE = "System.AssignedTo"


@dataclass(frozen=True, slots=True)
class Step:
    """One operation of a JSON patch document (RFC 6902)."""

    op: str
    path: str
    value: Any


@dataclass(frozen=True, slots=True)
class Link:
    """A link of a work item to another one, or to a web page.

    Args:
        kind: the link type's reference name.
        url: the address of the other end, for a work item in the API.
        comment: the comment on the link.
    """

    kind: str
    url: str
    comment: str = "unlatch"


@dataclass(frozen=True, slots=True)
class Patch:
    """One request that changes or creates a work item.

    Args:
        revision: the expected revision; None for a new item.
        fields: new values of fields, by their reference names.
        tags: the item's tags before and after.
        comment: HTML to add to the discussion.
        links: links to add.
        is_silent: whether Azure DevOps is asked to send no notifications of it.
    """

    revision: int | None
    fields: tuple[tuple[str, FieldValue], ...] = ()
    tags: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    comment: str | None = None
    links: tuple[Link, ...] = ()
    is_silent: bool = False

    @property
    def is_empty(self) -> bool:
        """Whether it changes nothing."""
        before, after = self.tags
        return not (self.fields or self.links) and before == after and self.comment is None

    def steps(self) -> tuple[Step, ...]:
        """The patch document.

        The first step fails the whole document if the item has changed since it was read. So tags
        can be replaced as a set (`add` merges them), and a replay does nothing.
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
        steps += map(_added, self.links)
        return tuple(steps)

    @property
    def new_tags(self) -> tuple[str, ...]:
        """The tags that it adds."""
        before, after = self.tags
        return without(after, before)

    @property
    def lost_tags(self) -> tuple[str, ...]:
        """The tags that it removes."""
        before, after = self.tags
        return without(before, after)

    def without_new_tags(self) -> Patch:
        """The same without new tags."""
        before, after = self.tags
        return replace(self, tags=(before, without(after, self.new_tags)))


def _added(link: Link) -> Step:
    # https://learn.microsoft.com/azure/devops/boards/queries/link-type-reference
    relation = {"rel": link.kind, "url": link.url, "attributes": {"comment": link.comment}}
    return Step("add", "/relations/-", relation)


def comment_of(change: Change) -> str | None:
    """The comment with its marker.

    The marker is visible: an HTML comment may be sanitised away.
    """
    if change.comment is None:
        return None
    return f"{as_html(change.comment)}<p>{visible(change.op)}</p>"


def read_tags(field: str | None) -> tuple[str, ...]:
    """The tags in the field System.Tags."""
    return tuple(filter(None, map(str.strip, (field or "").split(";"))))


def without(tags: tuple[str, ...], others: tuple[str, ...]) -> tuple[str, ...]:
    """The tags that are not among others, ignoring case."""
    folded = set(map(str.casefold, others))
    return tuple(tag for tag in tags if tag.casefold() not in folded)


def changed_tags(before: tuple[str, ...], change: Change) -> tuple[str, ...]:
    """The tags after `change`; the others keep their order.

    Azure DevOps ignores the case of tags.
    """
    tags = without(before, change.remove_labels)
    for tag in change.add_labels:
        tags += without((tag,), tags)
    return tags
