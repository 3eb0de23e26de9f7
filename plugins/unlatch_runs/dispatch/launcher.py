"""The program that becomes a worker; it is run as a file, and imports nothing of unlatch.

    python launcher.py LOCK LEASE READY GO PROGRAM ARGUMENT...

It locks the file LOCK with a descriptor that stays open when it becomes PROGRAM, and that all
processes started by PROGRAM inherit: as long as one of them lives, the lock is held. It writes its
process id and start time there, and says on the descriptor READY that it did so. It waits on GO for
the coordinator: the end of that pipe means that the coordinator died. Only a lease that is there
while the lock is held lets it go on. So to end a lease, a process first moves the file LEASE away.
Then the lock is either free, and no worker will start, or held, and its holder is ended.
"""

import fcntl
import os
import signal
import sys
import time

# Seconds to wait for a process that only looks at the lock.
_PATIENCE = 2.0
_NO_LEASE = 125
_NO_LOCK = 126
_NOT_STARTED = 127


def main(arguments: list[str]) -> int:
    lock, lease, ready, go, *argv = arguments
    descriptor = os.open(lock, os.O_RDWR | os.O_NOFOLLOW)
    os.set_inheritable(descriptor, True)
    if not _locked(descriptor):
        return _fail(_NO_LOCK, "the lock of this run id is held")
    os.pwrite(descriptor, f"{os.getpid()} {_start_time()}\n".encode(), 0)
    os.fsync(descriptor)
    try:
        os.write(int(ready), b"r")
        os.close(int(ready))
        is_wanted = os.read(int(go), 1) == b"g"
        os.close(int(go))
    except OSError:
        is_wanted = False
    if not is_wanted or not os.path.lexists(lease):
        return _fail(_NO_LEASE, "the coordinator is gone, or ended the lease")
    # Python ignores these two, and a program inherits ignored signals.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    try:
        os.execve(argv[0], argv, os.environ)  # noqa: S606  (the user's command line named it)
    except OSError as error:
        return _fail(_NOT_STARTED, f"{argv[0]} cannot be started: {error.strerror}")


def _locked(descriptor: int) -> bool:
    deadline = time.monotonic() + _PATIENCE
    while time.monotonic() < deadline:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            time.sleep(0.01)
        else:
            return True
    return False


def _start_time() -> str:
    """As `processes.start_time`, which would have to be imported."""
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            boot = file.read().strip()
        with open("/proc/self/stat", encoding="utf-8", errors="replace") as file:
            return f"{boot} {file.read().rpartition(')')[2].split()[19]}"
    except (OSError, IndexError):
        return ""


def _fail(code: int, message: str) -> int:
    os.write(2, f"unlatch: {message}\n".encode(errors="replace"))
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
