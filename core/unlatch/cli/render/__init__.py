"""Results in words and as JSON documents, for several commands."""
