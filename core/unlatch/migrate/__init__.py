"""Migrating a SpecWeave project to unlatch's own layout and format, and back.

Called by `unlatch migrate`; doctor asks for migrations that were interrupted.
"""
