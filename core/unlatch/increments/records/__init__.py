"""The records in metadata.json: one table each, for reader, writer and schema."""
