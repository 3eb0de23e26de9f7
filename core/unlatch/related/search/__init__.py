"""Search over all kinds of work: `unlatch search`, and similar work in `new`, `link` and chats.

It joins the kinds, which do not know each other; the index is that of `worklog`.
"""
