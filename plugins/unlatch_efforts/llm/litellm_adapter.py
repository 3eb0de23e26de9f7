"""The adapter for litellm, which reaches servers with other APIs than OpenAI's.

litellm has its own transport: `--trace-http`, the limits of answers and the rule about redirects do
not apply. Its retries are off.
"""

from __future__ import annotations

import json
import os
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from unlatch.errors import ModelError
from unlatch.transport.answer import Answer
from unlatch.transport.trace import Redactor
from unlatch.worklog.installer import install_command
from unlatch_efforts.llm.assembly import Assembly, InvalidAnswer
from unlatch_efforts.llm.refusals import Refusals

if TYPE_CHECKING:
    from collections.abc import Sequence

    from unlatch.chat_model import Json, OnText, Reply
    from unlatch.transport.credentials import Credential

# Otherwise litellm fetches a table of prices on import, and reads a file .env from the folders
# above its own: a repository's, if the virtual environment is in the repository.
_SETTINGS = {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "LITELLM_MODE": "PRODUCTION"}


class LiteLlm:
    """A chat model of litellm; the first request imports the library.

    Args:
        model: the name with its provider, in litellm's spelling ("anthropic/claude-opus-4-6").
        base_url: the address of the server; None for the provider's own.
        credential: the key; None for the provider's own variable.
        config: the name of its configuration file in errors.
        timeout: seconds for one request.

    ModelError (`llm-extra-missing`): litellm is not installed.
    """

    def __init__(
        self,
        model: str,
        *,
        base_url: str | None,
        credential: Credential | None,
        config: str,
        timeout: float,
    ) -> None:
        if find_spec("litellm") is None:
            message = "litellm is not installed, and [llm] asks for it with provider"
            hint = install_command("unlatch[litellm]")
            raise ModelError("llm-extra-missing", message, where=config, hint=hint)
        self.model = model
        self._options: dict[str, Any] = {
            "api_base": base_url,
            "api_key": credential.secret if credential else None,
            "timeout": timeout,
            "num_retries": 0,
            "max_retries": 0,
            # With tools, litellm otherwise imports its gateway for MCP, which `mcp` is needed for.
            "_skip_mcp_handler": True,
        }
        key = credential.source if credential else None
        self._redactor = Redactor(*(credential.forms if credential else ()))
        self._refusals = Refusals(
            where=base_url or model, config=config, key=key, redactor=self._redactor
        )

    def __repr__(self) -> str:
        return f"LiteLlm({self.model!r})"

    def __call__(
        self, messages: Sequence[Json], tools: Sequence[Json] = (), *, on_text: OnText | None = None
    ) -> Reply:
        """The model's reply; see `port.Complete`."""
        options: dict[str, Any] = {**self._options, "model": self.model, "messages": list(messages)}
        if tools:
            options["tools"] = list(tools)
        if on_text is not None:
            options |= {"stream": True, "stream_options": {"include_usage": True}}
        assembly = Assembly(on_text)
        litellm = library()
        try:
            answer = litellm.completion(**options)
            for part in answer if on_text is not None else (answer,):
                read(part, assembly)
            return assembly.reply()
        except InvalidAnswer as why:
            raise self._refusals.invalid(str(why), assembly.text) from why
        except import_module("openai").OpenAIError as caught:  # the root of their errors
            failure: Exception = caught
        raise self._error_of(failure, assembly.text)

    def _error_of(self, failure: Exception, text: str) -> ModelError:
        """The error of a failed request, without the original: its request has the key."""
        status = getattr(failure, "status_code", None)
        body = json.dumps({"message": self._redactor.message(str(failure))}).encode()
        answer = Answer("POST", "", status if isinstance(status, int) else 500, {}, body)
        error = self._refusals.of_answer(answer)
        error.text = text
        return error


def read(part: Any, assembly: Assembly) -> None:
    """Add a response of litellm, or a part of a streamed one; raises InvalidAnswer."""
    assembly.add(part.model_dump())


def library() -> Any:
    """The library, imported without its side effects."""
    os.environ.update(_SETTINGS)
    litellm: Any = import_module("litellm")
    litellm.suppress_debug_info = True  # it prints advice
    return litellm
