"""A port for chat models, and its adapters.

It knows no kind of work: those that talk with a model call it. It imports configuration, transport
and errors. An adapter is imported when a model is opened, because `requests` is slow to load.
"""

from __future__ import annotations

from unlatch.llm.open_model import open_model
from unlatch.llm.port import (
    Choice,
    Complete,
    Function,
    Json,
    Message,
    OnText,
    Reply,
    ToolCall,
    Usage,
)
from unlatch.llm.scripted import Scripted, call, said

__all__ = [
    "Choice",
    "Complete",
    "Function",
    "Json",
    "Message",
    "OnText",
    "Reply",
    "Scripted",
    "ToolCall",
    "Usage",
    "call",
    "open_model",
    "said",
]
