"""Continuing a session: the message with its context, and a chat that the session records."""
