"""The meaning of a change of an increment: what is recorded, and the ids of its operations."""
