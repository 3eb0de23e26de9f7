"""The commands of this package, for help and completion; it imports no other module of it."""

from unlatch.cli.table import FRONT_HELP, Entry, Reach

_PACKAGE = "unlatch_doctor.cli"
DOCTOR = Entry("doctor", "doctor", *FRONT_HELP["doctor"], package=_PACKAGE, topic="setup")
CONFIG = Entry(
    "config", "config", "Show and change settings", Reach.LOCAL, package=_PACKAGE, topic="setup"
)
