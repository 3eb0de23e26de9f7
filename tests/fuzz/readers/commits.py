"""Messages and diffs of commits."""

from tests.fuzz.target import Target, parts_of, text_of

from unlatch_regressions.branch.messages import Pull, Reverted, reverted_commits, reverted_pulls
from unlatch_regressions.branch.patches import Patch, read_patch

_ID = "5f" * 20
_MESSAGES = (
    f'Revert "Fix"\n\nThis reverts commit {_ID}, reversing\nchanges made to {_ID}.\n',
    'Revert "Fix (#12)" (#13)\n\nReverts octo/widgets#12\n',
)
_DIFF = f"""diff --git a/search.py b/search.py
old mode 100644
new mode 100755
index {_ID}..{_ID[::-1]}
--- a/search.py
+++ b/search.py
@@ -1,2 +1,2 @@
 import re
-a
+b
\\ No newline at end of file
diff --git a/logo.png b/logo.png
index {_ID}..{_ID[::-1]} 100644
Binary files a/logo.png and b/logo.png differ
"""
_Read = tuple[list[Reverted], list[Pull], Patch]


def _read(data: bytes) -> _Read:
    message, diff = parts_of(data, 2)
    text = text_of(message)
    patch = read_patch(diff.split(b"\n"))
    back = Patch(patch.new, patch.old, {name: two[::-1] for name, two in patch.blobs.items()})
    assert patch.undoes(back) == back.undoes(patch)
    return [*reverted_commits(text)], [*reverted_pulls(text)], patch


TARGETS = {
    "revert": Target(
        _read,
        lambda: [f"{message}\0{_DIFF}".encode() for message in _MESSAGES],
        lambda read: any(not one.kept for one in read[0]),
    )
}
