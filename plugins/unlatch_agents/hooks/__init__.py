"""Hooks of coding agents: events, briefings, and the checkouts whose texts they quote."""
