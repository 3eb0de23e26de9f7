"""A test whose server cannot run here is skipped visibly; on CI it fails."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest
from tests.servers.process import Unavailable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


@contextmanager
def skipped_unless_available(environment: Mapping[str, str] = os.environ) -> Iterator[None]:
    try:
        yield
    except Unavailable as error:
        if environment.get("CI") == "true":
            reason = f"{error} (with CI=true this may not be skipped)"
            raise pytest.fail.Exception(reason, pytrace=False) from None
        pytest.skip(str(error))
