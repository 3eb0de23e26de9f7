"""Reading and editing spec.md and tasks.md; an edit changes single lines and keeps all others.

Works on texts. The modules of increments.files, which read and write the files, call it.
"""
