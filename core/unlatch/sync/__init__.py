"""Sync: compare increments with their items, plan, apply, and take in webhook events.

Used by the command line; imports lifecycle and delivery.
"""
