"""The tracker's API: connection, requests, answers as models, and its errors."""
