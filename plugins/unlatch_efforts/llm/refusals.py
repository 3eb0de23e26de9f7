"""Errors for answers that are no replies, and for requests without an answer."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from unlatch.errors import ModelError, ModelUnauthorised, ModelUnavailable, Unreachable
from unlatch.transport.answer import Answer
from unlatch.transport.errors import CutOff, quoted_message

if TYPE_CHECKING:
    from unlatch.errors import TrackerError
    from unlatch.transport.trace import Redactor

_PAYMENT_REQUIRED = 402
_TOO_MANY_REQUESTS = 429
_SERVER_ERROR = 500
# OpenAI also sends 429 for an account without credit, where waiting does not help
# (platform.openai.com/docs/guides/error-codes).
_NO_CREDIT = "insufficient_quota"
_LATER = "wait a while, then send the message again"
_AGAIN = "send the message again"
_Row = tuple[type[ModelError], str, str, str]
# By status: the class, the id, the words after "the model server", and the next step.
_ROWS: dict[int, _Row] = {
    401: (ModelUnauthorised, "llm-unauthorized", "does not accept the key", "{key}"),
    402: (
        ModelError,
        "llm-quota-exceeded",
        "has no credit left for the account",
        "check the plan and the billing of the account",
    ),
    403: (ModelUnauthorised, "llm-unauthorized", "does not allow this with the key", "{key}"),
    404: (
        ModelError,
        "llm-not-found",
        "does not know the model, or the address",
        "check model and base_url under [llm] in {config}; many base_urls end with /v1",
    ),
    429: (ModelUnavailable, "llm-rate-limited", "asks to slow down", _LATER),
}
_REDIRECT: _Row = (
    ModelError,
    "llm-redirected",
    "redirects the request, which unlatch does not follow",
    "if you trust {location}, set base_url under [llm] in {config} to it",
)
_REJECTED: _Row = (
    ModelError,
    "llm-rejected",
    "refuses the request",
    "`--trace-http FILE` shows the request and the whole answer",
)
_FAILED: _Row = (ModelUnavailable, "llm-unavailable", "failed", _LATER)


class Refusals:
    """Makes the errors of one server, without secrets.

    Args:
        where: the address in errors.
        config: the file that configures it.
        key: the name of the variable with the key, if one is configured.
    """

    def __init__(self, *, where: str, config: str, key: str | None, redactor: Redactor) -> None:
        self._where, self._config, self._redactor = where, config, redactor
        self._key = (
            f"the key came from {key}; check that it is valid for this server"
            if key
            else f"set key_env under [llm] in {config} to the variable with the key"
        )

    def of_answer(self, answer: Answer) -> ModelError:
        """The error of an answer with another status than 200."""
        kind, name, words, hint = _row(answer)
        message = f"the model server {words}: {answer.status}{quoted_message(answer)}"
        location = answer.headers.get("Location", "").partition("?")[0] or "the other address"
        steps = {"config": self._config, "key": self._key, "location": location}
        return kind(
            name,
            self._redactor.message(message),
            where=self._where,
            hint=self._redactor.line(hint.format(**steps)),
            status=answer.status,
            retry_after=answer.retry_after,
        )

    def of_document(self, document: dict[str, Any]) -> ModelError | None:
        """The error in a document within an answer.

        With it, servers report failures after they began to answer with 200. OpenRouter names the
        status in `code` (openrouter.ai/docs/api/reference/errors-and-debugging), and vLLM has no
        member `error` around the rest (block/goose#8031).
        """
        error = document.get("error") or (document if document.get("object") == "error" else None)
        if error is None:
            return None
        code = error.get("code") if isinstance(error, dict) else None
        status = code if isinstance(code, int) and 400 <= code < 600 else _SERVER_ERROR  # noqa: PLR2004
        body = json.dumps(document).encode()
        return self.of_answer(Answer("POST", self._where, status, {}, body))

    def of_failure(self, failure: TrackerError, text: str = "") -> ModelError:
        """The error of a request without an answer, or with an answer cut off after `text`."""
        message, hint = failure.message, failure.hint
        error: ModelError
        if failure.id == "tracker-unreachable":
            hint = f"check that it is running, and base_url under [llm] in {self._config}"
            error = ModelUnavailable("llm-unreachable", message, hint=hint)
        elif isinstance(failure, Unreachable):  # a proxy
            error = ModelUnavailable(failure.id, message, hint=hint)
        elif isinstance(failure, CutOff):
            error = ModelError("llm-answer-cut", message, hint=_AGAIN, text=text)
        elif failure.id == "tracker-unavailable":
            error = ModelError("llm-no-answer", message, hint=_AGAIN)
        else:  # the certificate, the CA bundle, or the address
            error = ModelError(failure.id, message, hint=hint)
        error.where = self._where
        return error

    def cut_off(self, text: str) -> ModelError:
        """The error of an answer that ended too early, after `text`."""
        message = "the model server's answer was cut off: it ended without a sign of its end"
        return ModelError("llm-answer-cut", message, where=self._where, hint=_AGAIN, text=text)

    def invalid(self, why: str, text: str = "") -> ModelError:
        """The error of an answer that cannot be read."""
        hint = f"check base_url under [llm] in {self._config}; many base_urls end with /v1"
        message = f"the model server's answer cannot be read: {why}"
        where = self._where
        return ModelError("llm-answer-invalid", message, where=where, hint=hint, text=text)


def _row(answer: Answer) -> _Row:
    status = answer.status
    if status == _TOO_MANY_REQUESTS and _NO_CREDIT in answer.text:
        return _ROWS[_PAYMENT_REQUIRED]
    if status < 400:  # noqa: PLR2004
        return _REDIRECT
    if status == 408 or status >= _SERVER_ERROR:  # noqa: PLR2004
        return _FAILED
    return _ROWS.get(status, _REJECTED)
