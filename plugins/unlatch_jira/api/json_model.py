"""Parse Jira's JSON into models; other modules read no raw answers."""

from __future__ import annotations

from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from unlatch.errors import Rejected
from unlatch.spi.validation import validation_message

_Model = TypeVar("_Model", bound=BaseModel)


class Model(BaseModel):
    """An answer, or a part of one, without unused parts."""

    # Ids are mostly texts, sometimes numbers.
    model_config = ConfigDict(frozen=True, extra="ignore", coerce_numbers_to_str=True)

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, raw: Any) -> Any:
        """Null fields count as missing: Jira sends either."""
        if not isinstance(raw, dict):
            return raw
        return {name: value for name, value in raw.items() if value is not None}


def parse(model: type[_Model], raw: Any) -> _Model:
    """`raw` as a model.

    Raises:
        Rejected: `answer-not-understood`; the message names the undocumented part.
    """
    try:
        return model.model_validate(raw)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"])) or "its top"
        raise Rejected(
            "answer-not-understood",
            f"Jira's answer is not as documented, at {place}: {validation_message(first)}",
            hint="check that trackers.jira.site is a Jira site and api_version is right for it",
        ) from error
