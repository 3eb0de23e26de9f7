"""The adapters of the port for chat models, which they have in common with programs.

They know no kind of work. They import configuration, transport and errors. An adapter is imported
when a model is opened, because `requests` is slow to load.
"""

from __future__ import annotations

from unlatch.chat_model import (
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
from unlatch_efforts.llm.open_model import open_model
from unlatch_efforts.llm.scripted import Scripted, call, said

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
