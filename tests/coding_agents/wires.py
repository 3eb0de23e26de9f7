"""Replies of a model in the shapes of the APIs that coding agents call.

Anthropic: docs.claude.com/en/api/messages-streaming; OpenAI: platform.openai.com/docs/api-reference
/responses-streaming and /chat/object; Google: ai.google.dev/api/generate-content. No tokens are
counted: each reply says 12 in, of which 3 are cached, and 9 out.
"""

import json
from collections.abc import Callable
from typing import Any

INPUT, CACHED, OUTPUT = 12, 3, 9
Block = dict[str, Any]


def anthropic(block: Block, number: int) -> bytes:
    usage = {"input_tokens": INPUT - CACHED, "cache_read_input_tokens": CACHED}
    usage["cache_creation_input_tokens"] = 0
    is_text = block["type"] == "text"
    message: Block = {"id": f"msg_{number}", "type": "message", "role": "assistant"}
    message |= {"model": "scripted", "content": [], "stop_reason": None}
    begin = {**block, "text": ""} if is_text else {**block, "input": {}}
    arguments = {"type": "input_json_delta", "partial_json": json.dumps(block.get("input"))}
    delta = {"type": "text_delta", "text": block["text"]} if is_text else arguments
    stop = {"stop_reason": "end_turn" if is_text else "tool_use", "stop_sequence": None}
    return _events(
        {"type": "message_start", "message": {**message, "usage": {**usage, "output_tokens": 1}}},
        {"type": "content_block_start", "index": 0, "content_block": begin},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": stop, "usage": {"output_tokens": OUTPUT}},
        {"type": "message_stop"},
    )


def openai(block: Block, number: int) -> bytes:
    response: Block = {"id": f"resp_{number}"}
    if block["type"] == "text":
        content = [{"type": "output_text", "text": block["text"]}]
        item: Block = {"type": "message", "role": "assistant", "content": content}
    else:
        namespace, _, name = block["name"].rpartition(".")
        given = json.dumps(block["input"])
        item = {"type": "function_call", "name": name, "arguments": given, "call_id": block["id"]}
        item |= {"namespace": namespace} if namespace else {}
    usage: Block = {"input_tokens": INPUT, "output_tokens": OUTPUT}
    usage["total_tokens"] = INPUT + OUTPUT
    usage |= {"input_tokens_details": {"cached_tokens": CACHED}, "output_tokens_details": None}
    return _events(
        {"type": "response.created", "response": response},
        {"type": "response.output_item.done", "item": {**item, "id": f"item_{number}"}},
        {"type": "response.completed", "response": {**response, "usage": usage}},
    )


def openai_chat(block: Block, number: int) -> bytes:
    message = {"role": "assistant", "content": block["text"]}
    usage: Block = {"prompt_tokens": INPUT, "completion_tokens": OUTPUT}
    usage |= {"total_tokens": INPUT + OUTPUT, "prompt_tokens_details": {"cached_tokens": CACHED}}
    whole: Block = {"id": f"chatcmpl-{number}", "object": "chat.completion", "created": number}
    choice = {"index": 0, "finish_reason": "stop", "message": message}
    return json.dumps({**whole, "model": "scripted", "choices": [choice], "usage": usage}).encode()


def google(block: Block, _: int) -> bytes:
    call = {"functionCall": {"name": block.get("name"), "args": block.get("input")}}
    part = {"text": block["text"]} if block["type"] == "text" else call
    content = {"role": "model", "parts": [part]}
    usage = {"promptTokenCount": INPUT, "candidatesTokenCount": OUTPUT}
    usage |= {"totalTokenCount": INPUT + OUTPUT, "cachedContentTokenCount": CACHED}
    whole = {"candidates": [{"content": content, "finishReason": "STOP", "index": 0}]}
    return f"data: {json.dumps({**whole, 'usageMetadata': usage})}\n\n".encode()


def google_whole(block: Block, number: int) -> bytes:
    return google(block, number).removeprefix(b"data: ")


def _events(*events: Block) -> bytes:
    return "".join(f"event: {it['type']}\ndata: {json.dumps(it)}\n\n" for it in events).encode()


WITHOUT_TOOLS = "/chat/completions"  # aider, the one that calls it, offers none
# By the end of the path: the writer of replies, and the key of the conversation in a request.
WIRES: dict[str, tuple[Callable[[Block, int], bytes], str]] = {
    "/messages": (anthropic, "messages"),
    "/responses": (openai, "input"),
    WITHOUT_TOOLS: (openai_chat, "messages"),
    ":streamGenerateContent": (google, "contents"),
    ":generateContent": (google_whole, "contents"),
}
