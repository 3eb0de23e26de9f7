"""Results as text and as JSON documents, for several commands."""
