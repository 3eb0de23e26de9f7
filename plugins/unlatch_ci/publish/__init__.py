"""Publish changed increments from CI: commit, push, or a branch for a pull request."""
