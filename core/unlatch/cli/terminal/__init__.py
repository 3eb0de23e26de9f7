"""The terminal: output, columns, styles, pager, editor, progress."""
