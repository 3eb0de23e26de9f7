"""Changes of scope: the proposed tasks, the amended documents, and the items that they touch."""
