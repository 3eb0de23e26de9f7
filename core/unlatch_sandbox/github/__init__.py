"""A stand-in for GitHub's REST API on issues, as a GitHub Enterprise server shows it: /api/v3."""

from unlatch_sandbox.github.app import create_app, is_api
from unlatch_sandbox.github.face import GithubFace

__all__ = ["GithubFace", "create_app", "is_api"]
