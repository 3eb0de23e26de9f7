"""Find, read, lock and change the files of increments.

The use cases and delivery call it. It imports the model, the records and the documents of
increments, and worklog for durable files; it never reads a setting.
"""
