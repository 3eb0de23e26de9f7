"""unlatch fleet check: check the configuration, rights and webhooks of all repositories."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from unlatch.cli.options.common import with_json
from unlatch.cli.runtime.failure import UNDECIDED
from unlatch.cli.terminal import output
from unlatch.errors import UsageError
from unlatch_fleet.checking.repositories import Checked, check_all
from unlatch_fleet.cli.chosen import FILE, open_machine, unit_options
from unlatch_fleet.tokens import read_webhook_secret

if TYPE_CHECKING:
    from pathlib import Path

    from unlatch.cli.runtime.context import Context
    from unlatch_fleet.checking.webhooks import Webhooks
    from unlatch_fleet.fleet_file import Fleet


@click.command(
    "check",
    help="Check configuration, rights and webhooks of a file's repositories. (reads trackers)",
)
@FILE
@unit_options
@with_json
def check_fleet(
    context: Context, *, file: Path, clones: Path | None, jobs: int, as_json: bool
) -> int:
    machine = open_machine(context, file, clones)
    _check_secrets(machine.fleet)
    for line in machine.fleet.repeated:
        output.note(line)
    results = []
    for checked in check_all(machine, machine.fleet.repositories, jobs=jobs):
        results.append(checked)
        if not as_json:
            _tell(checked)
    code = UNDECIDED if any(checked.has_errors for checked in results) else 0
    if as_json:
        output.document("fleet-check", code, repositories=[_entry(checked) for checked in results])
    return code


def _check_secrets(fleet: Fleet) -> None:
    """Refuse a secret that `unlatch fleet serve` would refuse; they may be on its machine alone.

    Raises:
        UsageError: `secret-short`.
    """
    for name, webhook in fleet.webhooks.items():
        try:
            read_webhook_secret(name, webhook.secret, os.environ)
        except UsageError as error:
            if error.id == "secret-short":
                raise
            output.note(f"{error.message}; on the machine of `unlatch fleet serve` it is needed")


def _tell(checked: Checked) -> None:
    key = output.clean(checked.repository.address.key)
    if checked.has_errors:
        output.failed(key)
    else:
        output.ok(key)
    for finding in checked.findings:
        words = f"    {finding.severity}: {output.clean(finding.message)}"
        hint = f"; {output.clean(finding.hint)}" if finding.hint else ""
        output.data(f"{words}{hint} [{output.clean(finding.id)}]")
    output.data(*map(_line, checked.webhooks))


def _line(webhooks: Webhooks) -> str:
    why = f": {output.clean(webhooks.why)}" if webhooks.why else ""
    place = f"{webhooks.tracker} {output.clean(webhooks.target)}"
    return f"    webhooks of {place}: {webhooks.state}{why}"


def _entry(checked: Checked) -> output.Json:
    return {
        "repository": checked.repository.address.key,
        "group": checked.repository.group,
        "findings": [
            output.fields(finding, "severity", "id", "message", "hint")
            for finding in checked.findings
        ],
        "webhooks": [
            output.fields(webhooks, "tracker", "target", "state", "why")
            for webhooks in checked.webhooks
        ],
    }
