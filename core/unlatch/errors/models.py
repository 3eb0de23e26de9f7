"""The errors of requests to chat models."""

from __future__ import annotations

from unlatch.errors import UnlatchError


class ModelError(UnlatchError):
    """A chat model gave no answer that can be used; sending the request again would not help.

    Args:
        status: the HTTP status of the answer, or the one that an error in the answer names.
        retry_after: seconds to wait before the next request, if the server named them.
        text: the beginning of the answer, if it was cut off.
    """

    def __init__(
        self,
        id: str,
        message: str,
        *,
        where: str | None = None,
        hint: str | None = None,
        status: int | None = None,
        retry_after: float | None = None,
        text: str = "",
    ) -> None:
        super().__init__(id, message, where=where, hint=hint)
        self.status, self.retry_after, self.text = status, retry_after, text


class ModelUnavailable(ModelError):
    """The model's server did not answer the request; the same one may succeed later."""


class ModelUnauthorised(ModelError):
    """The key for a chat model is missing, or its server does not accept it."""

    exit_code = 4
