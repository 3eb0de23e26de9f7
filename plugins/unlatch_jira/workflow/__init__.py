"""Workflows: choose a transition, fill its screen, and take several if allowed."""
