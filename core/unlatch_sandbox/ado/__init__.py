"""A stand-in for Azure DevOps Services' work item tracking API, version 7.1."""

from unlatch_sandbox.ado.app import create_app, is_api
from unlatch_sandbox.ado.face import AdoFace

__all__ = ["AdoFace", "create_app", "is_api"]
