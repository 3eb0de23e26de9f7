from __future__ import annotations

from unlatch.worklog.dated_names import slug


def test_a_secret_in_a_title_is_not_in_the_name() -> None:
    secret = "ghp_" + "A1b2C3d4" * 4
    assert slug(f"Rotate {secret} now", otherwise="run") == "rotate-now"
    assert slug(secret, otherwise="run") == "run"
