"""Migrate a SpecWeave project to unlatch's paths and format, and back.

Called by `unlatch migrate`; `checks` looks for interrupted migrations.
"""
