"""A stand-in for Azure DevOps Services' work item tracking API, version 7.1."""

from unlatch_sandbox.ado.admin import AdoAdmin
from unlatch_sandbox.ado.app import create_app, is_api

__all__ = ["AdoAdmin", "create_app", "is_api"]
