"""The sandbox's own pages and its HTTP interface for other processes."""

from unlatch_sandbox.console.app import create_app

__all__ = ["create_app"]
