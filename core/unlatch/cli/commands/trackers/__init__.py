"""Commands about items: link, sync, ingest, and each tracker's own group."""
