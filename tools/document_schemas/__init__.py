"""The JSON documents that commands print, as tables of keys and types: the schemas come from them.

Commands build plain dictionaries; tests validate each document against its schema. Only the
generator of the schemas and the tests load this package.
"""
