"""The adapter for servers with OpenAI's Chat Completions API.

A request is repeated at most twice, and only without an answer: the server was not reached, or it
answered 429 or 503 with `Retry-After`. After the first byte of an answer nothing is repeated.
"""

from __future__ import annotations

from contextlib import ExitStack, suppress
from itertools import chain, count
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from unlatch.errors import ModelUnavailable, TrackerError
from unlatch.transport.answer import Answer, parse_json
from unlatch.transport.rate_limits import Gate
from unlatch_efforts.llm.assembly import Assembly, InvalidAnswer
from unlatch_efforts.llm.endpoint import Endpoint, StreamedAnswer
from unlatch_efforts.llm.events import DONE, event_data
from unlatch_efforts.llm.refusals import Refusals

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from unlatch.chat_model import Json, OnText, Reply
    from unlatch.transport.breaker import TransportOptions
    from unlatch.transport.credentials import Credential

RETRIES = 2
_FIRST_BACKOFF = 0.4
_GROWTH = 3.0
_MAY_RETRY = (429, 503)
# How JSON and web pages begin, and events never do. Some servers answer a request for a stream
# with one document.
_DOCUMENTS = (b"{", b"[", b"<")
# Of a body in UTF-8; event streams may begin with one
# (html.spec.whatwg.org/multipage/server-sent-events.html).
_MARK = b"\xef\xbb\xbf"


class ChatCompletions:
    """A chat model behind a server.

    Args:
        base_url: the base of `/chat/completions`; a query stays at the end. It must have been
            checked with `check_secure`.
        config: the name of its configuration file in errors.
        options: the time-outs apply to one request, `max_wait` to all waits together.
    """

    def __init__(
        self,
        base_url: str,
        *,
        model: str,
        credential: Credential | None,
        config: str,
        options: TransportOptions,
    ) -> None:
        parts = urlsplit(base_url)
        path = f"{parts.path.rstrip('/').removesuffix('/chat/completions')}/chat/completions"
        url = parts._replace(path=path, fragment="").geturl()
        self.model = model
        self._endpoint = Endpoint(url, credential=credential, options=options)
        self._gate = Gate("llm", options)
        self._jitter = options.jitter
        self._wants_usage = True
        self._refusals = Refusals(
            where=parts._replace(path=path, query="", fragment="").geturl(),
            config=config,
            key=credential.source if credential else None,
            redactor=self._endpoint.redactor,
        )

    def __repr__(self) -> str:
        return f"ChatCompletions({self.model!r}, {self._endpoint.url.partition('?')[0]!r})"

    def __call__(
        self, messages: Sequence[Json], tools: Sequence[Json] = (), *, on_text: OnText | None = None
    ) -> Reply:
        """The model's reply; see `port.Complete`."""
        document: dict[str, Any] = {"model": self.model, "messages": list(messages)}
        if tools:  # an empty list is refused (earendil-works/pi#3649)
            document["tools"] = list(tools)
        if on_text is not None:
            document["stream"] = True
        with ExitStack() as opened:
            answer = self._open(opened, document)
            return self._read(answer, on_text)

    def _open(self, opened: ExitStack, document: dict[str, Any]) -> StreamedAnswer:
        for attempt in count():
            try:
                return self._post(opened, document)
            except ModelUnavailable as error:
                if attempt >= RETRIES or not self._pause(error, attempt):
                    raise
        raise AssertionError  # count() never ends

    def _post(self, opened: ExitStack, document: dict[str, Any]) -> StreamedAnswer:
        wants_usage = self._wants_usage and "stream" in document
        extra = {"stream_options": {"include_usage": True}} if wants_usage else {}
        try:
            self._gate.enter()
            with ExitStack() as attempt:
                answer = attempt.enter_context(self._endpoint.post(document | extra))
                if answer.status in range(200, 300):
                    opened.enter_context(attempt.pop_all())
                    return answer
                body = b"".join(answer.pieces())
        except TrackerError as failure:
            raise self._refusals.of_failure(failure) from failure.__cause__
        refused = Answer("POST", self._endpoint.url, answer.status, answer.headers, body)
        if wants_usage and "stream_options" in refused.text and answer.status in {400, 422}:
            # Unknown to Mistral (openai/openai-agents-python#442) and others.
            self._wants_usage = False
            return self._post(opened, document)
        raise self._refusals.of_answer(refused)

    def _pause(self, error: ModelUnavailable, attempt: int) -> bool:
        """Wait before the next attempt; False if there is none."""
        if error.status is None:
            jitter = 0.5 + self._jitter() / 2
            self._gate.rest(_FIRST_BACKOFF * _GROWTH**attempt * jitter)
            return True
        if error.status not in _MAY_RETRY or error.retry_after is None:
            return False
        if not self._gate.can_afford(error.retry_after):
            return False
        self._gate.hold(error.retry_after, error.message)
        return True

    def _read(self, answer: StreamedAnswer, on_text: OnText | None) -> Reply:
        assembly = Assembly(on_text)
        try:
            start, pieces = _begun(answer.pieces())
            if start in _DOCUMENTS:
                self._add(assembly, b"".join(pieces))
            else:
                self._read_events(assembly, pieces)
            return assembly.reply()
        except TrackerError as failure:
            raise self._refusals.of_failure(failure, assembly.text) from failure.__cause__
        except InvalidAnswer as why:
            raise self._refusals.invalid(str(why), assembly.text) from why

    def _read_events(self, assembly: Assembly, pieces: Iterator[bytes]) -> None:
        for data in event_data(pieces):
            if data == DONE:
                return
            self._add(assembly, data)
        # ik_llama.cpp and others end without it (ikawrakow/ik_llama.cpp#467), and so does a
        # connection that a proxy closes: then only a reason says that this was the end.
        if assembly.is_unfinished:
            raise self._refusals.cut_off(assembly.text)

    def _add(self, assembly: Assembly, data: bytes) -> None:
        document = _parsed(data)
        if isinstance(document, dict):
            refusal = self._refusals.of_document(document)
            if refusal is not None:
                refusal.text = assembly.text
                raise refusal
        assembly.add(document)


def _parsed(data: bytes) -> Any:
    # The error of the library holds the text, which may repeat the key.
    with suppress(ValueError):
        return parse_json(data)
    is_page = data.startswith(b"<")
    raise InvalidAnswer("a web page came instead of data" if is_page else "its JSON is invalid")


def _begun(pieces: Iterator[bytes]) -> tuple[bytes, Iterator[bytes]]:
    """The first byte of a body that is no space or mark, and the body from there."""
    begun = b""
    for piece in pieces:
        begun = (begun + piece).lstrip()
        start = begun.removeprefix(_MARK).lstrip()
        if start and not _MARK.startswith(begun):
            return start[:1], chain([start], pieces)
    return b"", iter(())
