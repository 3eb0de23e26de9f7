"""SpecWeave: the layout of its increments, its settings, what doctor says of it, and migrating.

The entry points of `unlatch.layouts` and `unlatch.commands` name it.
"""
