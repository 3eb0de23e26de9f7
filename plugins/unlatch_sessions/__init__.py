"""The kind of work `session`."""
