"""Reopen and close items that belong to no increment.

Each has a record, which is an increment's without documents, so that the same delivery serves it.
"""
