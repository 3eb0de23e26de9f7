"""Workflows: choose a transition, fill its screen, and take several where that is allowed."""
