"""Use cases. They report typed events and return what happened; they print and ask nothing."""
