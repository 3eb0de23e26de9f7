"""The rights of any user, in a process of root, whom no mode of a file keeps from it."""

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager

# linux/capability.h, linux/prctl.h and linux/securebits.h.
_VERSION, _READ_AND_WRITE_ANY = 0x20080522, 1 << 1 | 1 << 2
_SET_SECUREBITS, _NO_ROOT = 28, 1


class _Header(ctypes.Structure):
    _fields_ = (("version", ctypes.c_uint32), ("pid", ctypes.c_int))


class _Sets(ctypes.Structure):
    _fields_ = tuple((name, ctypes.c_uint32) for name in ("effective", "permitted", "inheritable"))


@contextmanager
def unprivileged() -> Iterator[None]:
    """Take root's right to read and write any file from this thread and what it starts."""
    if os.geteuid() != 0:
        yield
        return
    system, header, sets = ctypes.CDLL(None), _Header(_VERSION, 0), (_Sets * 2)()
    assert system.capget(ctypes.byref(header), sets) == 0
    kept = sets[0].effective
    system.prctl(_SET_SECUREBITS, _NO_ROOT, 0, 0, 0)
    sets[0].effective = kept & ~_READ_AND_WRITE_ANY
    assert system.capset(ctypes.byref(header), sets) == 0
    try:
        yield
    finally:
        sets[0].effective = kept
        assert system.capset(ctypes.byref(header), sets) == 0
        system.prctl(_SET_SECUREBITS, 0, 0, 0, 0)
