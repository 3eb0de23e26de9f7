"""The messages about work items that Azure DevOps sends by service hooks.

Source: https://learn.microsoft.com/azure/devops/service-hooks/events. They have no signature, so
only the ids in one count: a pipeline that is called needs to pass no more.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from unlatch.spi import ItemEvent
from unlatch.spi.validation import first_problem
from unlatch_ado.asked import REVISION

_Short = Annotated[str, StringConstraints(min_length=1, max_length=100)]
_Address = Annotated[str, StringConstraints(min_length=1, max_length=2000)]
_COMMENTED = "workitem.commented"
# Changes of a work item that may change an increment.
_UPDATED = "workitem.updated"
_TELLING = frozenset({"System.State", "System.Description", "System.Tags"})
_OTHERS = frozenset({"workitem.deleted", "workitem.restored"})
_PAGE = "/_workitems/edit/"


class _Part(BaseModel):
    # Azure DevOps adds keys at any time.
    model_config = ConfigDict(
        extra="ignore", frozen=True, hide_input_in_errors=True, populate_by_name=True
    )


class _Link(_Part):
    href: _Address


class _Links(_Part):
    html: _Link | None = None


class _Comment(_Part):
    number: int = Field(alias="commentId", gt=0)


class _Item(_Part):
    id: int | None = Field(None, gt=0)
    rev: int | None = Field(None, gt=0)
    url: _Address | None = None
    links: _Links | None = Field(None, alias="_links")
    fields: dict[str, object] = Field(default_factory=dict)
    comment: _Comment | None = Field(None, alias="commentVersionRef")


class _Payload(_Part):
    kind: _Short = Field(alias="eventType")
    resource: _Item | None = None


def read_event(raw: bytes) -> ItemEvent:
    """Parse a message.

    Raises:
        ValueError: it is not from Azure DevOps.
    """
    try:
        payload = _Payload.model_validate_json(raw)
    except ValidationError as error:
        details = error.errors(include_url=False, include_input=False)
        raise ValueError(first_problem(details)) from None
    item = payload.resource
    is_update = payload.kind == _UPDATED and item and not _TELLING.isdisjoint(item.fields)
    if item is not None and (is_update or payload.kind in _OTHERS):
        return ItemEvent(payload.kind, url=_address(item))
    if payload.kind != _COMMENTED:
        return ItemEvent(payload.kind, note=f"the action {payload.kind!r} changes no increment")
    if item is None or item.id is None:
        return ItemEvent(payload.kind, note="the event is not about a work item")
    url = _address(item)
    if item.comment is not None:
        return ItemEvent(payload.kind, url=url, comment=str(item.comment.number))
    if item.rev is None:
        raise ValueError("resource: it names neither a comment nor a revision")
    return ItemEvent(payload.kind, url=url, comment=f"{REVISION}{item.rev}")


def _address(item: _Item) -> str:
    """The item's address in a browser, else that of the API."""
    html = item.links.html.href if item.links and item.links.html else ""
    # Older messages have the address of a page that does not name the project.
    if _PAGE in html:
        return html
    if item.url is None:
        raise ValueError("resource: it has no address")
    return item.url.partition("/updates/")[0].replace("/wit/recyclebin/", "/wit/workItems/")
