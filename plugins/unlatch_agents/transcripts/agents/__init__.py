"""One reader for each coding agent: from its lines or rows to a `Transcript`."""
