"""The adapter for litellm, on litellm's own responses, and over HTTP.

Skipped where litellm is not installed: it has 336 MB. `pip install 'unlatch[litellm]'` adds it.
"""

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from tests.transport.faulty import Faulty, reply
from tests.unlatch_efforts.llm.asking import (
    CONFIG,
    DONE,
    HELLO,
    KEY,
    STOP,
    TOOL,
    calling,
    calls_of,
    chunk,
    delta,
    document,
    stream,
)

from unlatch.config.choices import Provider
from unlatch.config.tables import LlmConfig
from unlatch.errors import ModelError, ModelUnauthorised
from unlatch_efforts.llm import Complete, open_model
from unlatch_efforts.llm.assembly import Assembly
from unlatch_efforts.llm.litellm_adapter import library, read

if find_spec("litellm") is None:
    pytest.skip("litellm is not installed", allow_module_level=True)

pytestmark = pytest.mark.filterwarnings("default")  # the library warns of its own use of others

ARGUMENTS = '{"name": "auth-bug"}'


def model(server: Faulty, *, key: str | None = KEY) -> Complete:
    config = LlmConfig(
        provider=Provider.LITELLM,
        base_url=f"{server.url}/v1",
        model="openai/small",
        key_env="MODEL_KEY",
        timeout=10,
    )
    return open_model(config, environ={"MODEL_KEY": key or "none"}, where=CONFIG)


def test_a_response_of_litellm_is_read() -> None:
    litellm = library()
    types = litellm.types.utils
    function = types.Function(name="open_effort", arguments=ARGUMENTS)
    call = types.ChatCompletionMessageToolCall(id="call_1", type="function", function=function)
    message = types.Message(content="Sure.", tool_calls=[call])
    usage = types.Usage(prompt_tokens=5, completion_tokens=2, total_tokens=7)
    response = litellm.ModelResponse(choices=[types.Choices(message=message)], usage=usage)
    assembly = Assembly(None)

    read(response, assembly)

    found = assembly.reply()
    theirs, ours = response.choices[0].message, found.choices[0].message
    assert ("Sure.", theirs.content) == (ours.content, ours.content)
    assert [("call_1", "open_effort", ARGUMENTS)] == calls_of(ours)
    assert theirs.tool_calls[0].function.name == ours.tool_calls[0].function.name
    assert found.usage is not None
    assert response.usage.total_tokens == found.usage.total_tokens


def test_a_document_is_read_over_http() -> None:
    calls = [delta(None, "open_effort", ARGUMENTS, "call_1", type="function")]
    with Faulty(document({"role": "assistant", "content": None, "tool_calls": calls})) as server:
        found = model(server)(HELLO, [TOOL])

    assert [("call_1", "open_effort", ARGUMENTS)] == calls_of(found.choices[0].message)
    body = json.loads(server.requests[0].body)
    assert ("small", HELLO, [TOOL]) == (body["model"], body["messages"], body["tools"])
    assert f"Bearer {KEY}" == server.requests[0].headers["authorization"]


def test_a_stream_is_read_over_http() -> None:
    pieces: list[str] = []
    answer = stream(
        chunk({"role": "assistant", "content": "Su"}, id="x", created=1),
        chunk({"content": "re."}, id="x", created=1),
        calling(delta(0, "open_effort", "", "call_1", type="function")) | {"id": "x"},
        calling(delta(0, None, ARGUMENTS)) | {"id": "x"},
        STOP | {"id": "x"},
        DONE,
    )
    with Faulty(answer) as server:
        found = model(server)(HELLO, [TOOL], on_text=pieces.append)

    assert "Sure." == "".join(pieces) == found.choices[0].message.content
    assert [("call_1", "open_effort", ARGUMENTS)] == calls_of(found.choices[0].message)


@pytest.mark.parametrize(
    ("status", "kind", "name"),
    [
        (401, ModelUnauthorised, "llm-unauthorized"),
        (404, ModelError, "llm-not-found"),
        (400, ModelError, "llm-rejected"),
    ],
)
def test_a_refusal_is_an_error_without_the_key(
    status: int, kind: type[ModelError], name: str
) -> None:
    body = {"error": {"message": f"your key {KEY} is bad"}}
    with Faulty(otherwise=reply(status, body)) as server, pytest.raises(ModelError) as caught:
        model(server)(HELLO)

    assert (kind, name) == (type(caught.value), caught.value.id)
    assert KEY not in repr(vars(caught.value))
    assert (None, None) == (caught.value.__cause__, caught.value.__context__)
    assert 1 == len(server.requests)


@pytest.mark.parametrize("status", [429, 500, 503])
def test_nothing_is_sent_again(status: int) -> None:
    with Faulty(otherwise=reply(status)) as server, pytest.raises(ModelError):
        model(server)(HELLO)

    assert 1 == len(server.requests)


def test_the_library_is_imported_by_the_first_request_without_prices_and_files_env(
    tmp_path: Path,
) -> None:
    program = f"""
import os, sys
from pathlib import Path
from unlatch.config.tables import LlmConfig
from unlatch_efforts.llm import open_model
config = LlmConfig(provider="litellm", model="openai/x", base_url="http://127.0.0.1:9/v1")
complete = open_model(config, environ={{}}, where=Path("x"))
print("litellm" in sys.modules)
try:
    complete({HELLO!r})
except Exception as error:
    print(type(error).__name__)
print("litellm" in sys.modules, os.environ["LITELLM_MODE"])
print(os.environ["LITELLM_LOCAL_MODEL_COST_MAP"])
"""
    environ = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "OPENAI_API_KEY": "x"}

    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=tmp_path,
        env=environ,
        capture_output=True,
        text=True,
        check=True,
    )

    assert ["False", "ModelUnavailable", "True PRODUCTION", "True"] == done.stdout.splitlines()
