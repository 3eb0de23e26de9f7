"""The JSON documents that commands print: each one's type, and the schema made from it.

Commands build plain dictionaries, which mypy holds against these types; only the generator of the
schemas and the tests load them.
"""
