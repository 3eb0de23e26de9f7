"""The layouts of other tools: spec-kit, OpenSpec, Kiro and Backlog.md, a package each.

Found by the entry points `unlatch.layouts`. A layout reads and changes texts; it imports documents,
the model and the interface of layouts, and nothing that writes files.
"""
