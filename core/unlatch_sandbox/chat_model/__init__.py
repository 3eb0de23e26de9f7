"""A stand-in for a server with OpenAI's Chat Completions API, which answers from a script.

It tests how a program talks with a model, not how a model decides.
"""

from unlatch_sandbox.chat_model.model import ChatModel
from unlatch_sandbox.chat_model.script import Cut, Failure

__all__ = ["ChatModel", "Cut", "Failure"]
