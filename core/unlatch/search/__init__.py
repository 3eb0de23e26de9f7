"""Search over all kinds of work: `unlatch search`, and what `new` and chats say was done before.

It joins the kinds, which do not know each other; the index is that of `worklog`.
"""
