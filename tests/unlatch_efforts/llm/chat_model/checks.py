"""Requests that servers refuse, each with the message of a real server."""

import re
from collections.abc import Mapping
from typing import Any

from unlatch_sandbox.answers import Refusal, check_keys

_KNOWN = (
    "max_completion_tokens",
    "max_tokens",
    "messages",
    "model",
    "parallel_tool_calls",
    "stream",
    "stream_options",
    "temperature",
    "tool_choice",
    "tools",
)
_ROLES = ("system", "user", "assistant", "tool")
_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


def refuse(message: str, *, status: int = 400, code: str | None = None) -> Refusal:
    """An error in OpenAI's shape."""
    error = {"message": message, "type": "invalid_request_error", "param": None, "code": code}
    return Refusal(status, {"error": error})


def checked(body: Any, model: str) -> dict[str, Any]:
    """The body of a request; Refusal if a server would refuse it."""
    if not isinstance(body, dict):
        raise refuse("We could not parse the JSON body of your request.")
    check_keys("parameter", body, _KNOWN)
    if body.get("model") != model:
        message = f"The model `{body.get('model')}` does not exist"
        raise refuse(message, status=404, code="model_not_found")
    if "stream_options" in body and not body.get("stream"):
        raise refuse("The 'stream_options' parameter is only allowed when 'stream' is enabled.")
    _check_tools(body)
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        raise refuse("[] is too short - 'messages'")
    _check_messages(messages)
    return body


def _check_tools(body: Mapping[str, Any]) -> None:
    if body.get("tools") == []:  # OpenAI, DashScope (earendil-works/pi#3649)
        raise refuse("[] is too short - 'tools'")
    for tool in body.get("tools", ()):
        name = tool.get("function", {}).get("name", "")
        if tool.get("type") != "function" or not _NAME.fullmatch(name):
            raise refuse("Invalid 'tools[0].function.name'")


def _check_messages(messages: list[dict[str, Any]]) -> None:
    open_calls: list[str] = []
    for place, message in enumerate(messages):
        role = message.get("role")
        if role not in _ROLES:
            raise refuse(f"Invalid value: '{role}' at 'messages[{place}].role'")
        if role == "system" and place:  # the templates of Qwen (vllm-project/vllm#41114)
            raise refuse("System message must be at the beginning.")
        if role == "tool":
            _answer(open_calls, message)
        elif open_calls:  # OpenAI
            raise refuse(
                "An assistant message with 'tool_calls' must be followed by tool messages "
                f"responding to each 'tool_call_id': {', '.join(open_calls)}"
            )
        if not isinstance(message.get("content", ""), str) and not message.get("tool_calls"):
            raise refuse(f"Invalid type for 'messages[{place}].content': expected a string")
        open_calls += _calls(message)
    if open_calls:
        raise refuse(f"tool_call_ids did not have response messages: {', '.join(open_calls)}")


def _answer(open_calls: list[str], message: Mapping[str, Any]) -> None:
    call_id = message.get("tool_call_id")
    if call_id not in open_calls:
        raise refuse(
            "messages with role 'tool' must be a response to a preceding message with 'tool_calls'"
        )
    open_calls.remove(call_id)


def _calls(message: Mapping[str, Any]) -> list[str]:
    calls = message.get("tool_calls")
    if calls == []:  # OpenAI (openai/openai-node#1341)
        raise refuse("Invalid 'messages[0].tool_calls': empty array.")
    ids = []
    for call in calls or ():
        function = call.get("function", {})
        if not isinstance(function.get("arguments"), str) or not _NAME.fullmatch(
            function.get("name", "")
        ):
            raise refuse("Invalid 'messages[0].tool_calls[0].function'")
        ids.append(call["id"])
    if len(set(ids)) < len(ids):  # Azure (anomalyco/opencode#32748)
        raise refuse("Duplicate item found")
    return ids
