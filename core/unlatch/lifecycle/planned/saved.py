"""The file of a plan: schemas/plan.schema.json.

It is data of whoever wrote it: only its command is carried out, after a comparison.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from unlatch.errors import UsageError
from unlatch.spi.validation import validation_message
from unlatch.worklog.json_text.document import JsonText, JsonTextError, render_new
from unlatch.worklog.text.secrets import find_secret

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

# Bytes; some thousand items.
LARGEST = 8 << 20
_NEXT = "make a plan with --plan-out FILE"


class _Record(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class PlannedCommand(_Record):
    """The command that the plan is of."""

    name: str = Field(description="its words after unlatch: resume, github close-issue")
    options: dict[str, list[str]] = Field(
        description="its options, each with its values; a flag has none"
    )
    words: list[str] = Field(description="its arguments")


class IncrementBasis(_Record):
    """An increment, or the record of an item, as the plan was made for it."""

    id: str = Field(description="the name of its folder")
    status: str = Field(description="its status")
    last_event: str | None = Field(alias="lastEvent", description="the last event, with its id")
    revision: str = Field(description="a digest of its metadata.json")


class ItemBasis(_Record):
    """An item as the plan was made for it."""

    tracker: str = Field(description="its tracker")
    url: str = Field(description="its address")
    state: str = Field(description="its state")
    since: str | None = Field(description="since when it has that state, if the tracker shows it")
    revision: str | None = Field(description="changes with the item, if the tracker has one")


class SavedPlan(_Record):
    """A dry run that can be approved."""

    # The name of the schema, as in the documents of commands.
    schema_name: Literal["unlatch.plan/1"] = Field(alias="schema", description="what the file is")
    made: str = Field(description="when the plan was made")
    by: str = Field(description="who made it")
    project: str = Field(description="the address of its git remote origin, else its folder")
    accounts: dict[str, str | None] = Field(
        description="the account on each tracker that the plan writes to; null if it is unknown"
    )
    command: PlannedCommand
    increments: list[IncrementBasis] = Field(description="the increments that it is about")
    items: list[ItemBasis] = Field(description="the items that were read for it")
    preview: dict[str, Any] = Field(description="the document of the dry run")


def plan_text(plan: SavedPlan) -> bytes:
    """The content of the file; UsageError `secret-in-text` or `plan-too-long`."""
    value = plan.model_dump(mode="json", by_alias=True)
    for text in _texts(value):
        if kind := find_secret(text):
            message = f"the plan seems to hold {kind}; it was not saved"
            hint = "remove it from the reason, or from the text or address that has it"
            raise UsageError("secret-in-text", message, hint=hint)
    content = render_new(value)
    if len(content) > LARGEST:
        message = f"the plan has {len(content):,} bytes; at most {LARGEST:,} are read"
        raise UsageError("plan-too-long", message, hint="name fewer increments or items")
    return content


def read_plan(file: Path) -> SavedPlan:
    """Read the file of a plan; UsageError `plan-file-invalid`."""
    if file.exists() and not file.is_file():
        raise invalid_plan("it is not a file", file)  # reading a pipe could wait for ever
    try:
        with file.open("rb") as opened:
            raw = opened.read(LARGEST + 1)
    except OSError as error:
        raise invalid_plan(f"it cannot be read: {error.strerror}", file) from error
    if len(raw) > LARGEST:
        raise invalid_plan(f"it has more than {LARGEST:,} bytes", file)
    try:
        text = JsonText.parse(raw)
        # A lone surrogate has no UTF-8 form, and fails where it is shown or sent.
        json.dumps(text.value, ensure_ascii=False).encode()
    except JsonTextError as error:
        raise invalid_plan(str(error), file) from error
    except UnicodeEncodeError as error:
        raise invalid_plan("a text has half of a character", file) from error
    if text.duplicates:
        raise invalid_plan(f"{text.duplicates[0]} occurs twice", file)
    try:
        return SavedPlan.model_validate(text.value)
    except ValidationError as error:
        first = error.errors()[0]
        at = ".".join(map(str, first["loc"]))
        raise invalid_plan(f"{at}: {validation_message(first)}", file) from error


def invalid_plan(why: str, file: Path) -> UsageError:
    """The error for a file that is no plan."""
    return UsageError("plan-file-invalid", f"this is no plan: {why}", where=str(file), hint=_NEXT)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, member in value.items():
            yield key
            yield from _texts(member)
    elif isinstance(value, list):
        for one in value:
            yield from _texts(one)
