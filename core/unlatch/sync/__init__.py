"""Sync: compare increments with their items, plan, apply, and process webhook events.

Used by the command line; imports lifecycle and delivery.
"""
