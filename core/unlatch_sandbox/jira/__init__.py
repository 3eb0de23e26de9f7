"""A stand-in for Jira: Cloud with its REST APIs 2 and 3, or a Server with API 2 only."""

from unlatch_sandbox.jira.admin import JiraAdmin
from unlatch_sandbox.jira.app import create_app, is_api

__all__ = ["JiraAdmin", "create_app", "is_api"]
