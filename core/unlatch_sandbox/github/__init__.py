"""A stand-in for GitHub's REST API on issues, as a GitHub Enterprise server shows it: /api/v3."""

from unlatch_sandbox.github.admin import GithubAdmin
from unlatch_sandbox.github.app import create_app, is_api

__all__ = ["GithubAdmin", "create_app", "is_api"]
