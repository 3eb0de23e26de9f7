"""unlatch fleet serve: take webhooks, and show the state of the fleet."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import click

from unlatch.cli.terminal import output
from unlatch.errors import UsageError
from unlatch.errors.known_secrets import remember_secrets
from unlatch.project.registry import Registry
from unlatch_fleet.cli.connected import NODE_FILE, find_address, open_node_file
from unlatch_fleet.fleet_file import Repository, Webhook, read_fleet
from unlatch_fleet.repository_address import names_in_events, own_targets
from unlatch_fleet.tokens import SHORTEST, read_webhook_secret

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from unlatch_fleet.serve.app import Service
    from unlatch_fleet.serve.directory import Listed
    from unlatch_fleet.serve.hooks import Hook
    from unlatch_fleet.serve.listening import Address

# The token for the page and the metrics.
TOKEN = "UNLATCH_FLEET_TOKEN"  # noqa: S105  (a name)
_PEM = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command("serve", help="Take webhooks, and show the state of the fleet. (local)")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--listen",
    metavar="ADDRESS",
    default="127.0.0.1:8787",
    show_default=True,
    help="Listen on HOST:PORT, or unix:PATH.",
)
@click.option("--tls-cert", type=_PEM, help="Certificate with its chain, in PEM.")
@click.option("--tls-key", type=_PEM, help="Its key, in PEM and without a password.")
@NODE_FILE
def serve_fleet(
    *, file: Path, listen: str, tls_cert: Path | None, tls_key: Path | None, node_file: Path | None
) -> int:
    database = find_address(open_node_file(node_file))
    from unlatch_fleet.serve.app import build_app  # noqa: PLC0415  (of an extra)
    from unlatch_fleet.serve.listening import (  # noqa: PLC0415
        Certificate,
        bind,
        build_server,
        parse_address,
    )

    if (tls_cert is None) != (tls_key is None):
        message = "--tls-cert and --tls-key belong together"
        raise UsageError("listen-address", message, hint="name both, or none")
    certificate = Certificate(tls_cert, tls_key) if tls_cert and tls_key else None
    address = parse_address(listen)
    server = build_server(build_app(_service(file, address, database)), certificate)
    listening = bind(address, certificate)
    # Ctrl-C ends it, also while it prints.
    with listening, suppress(KeyboardInterrupt):
        output.talk(f"Listening on {_shown(address, listening.getsockname(), certificate)}")
        server.run(sockets=[listening])
    return 0


def _service(file: Path, address: Address, database: str) -> Service:
    from unlatch_fleet.serve.app import Service  # noqa: PLC0415  (of an extra)
    from unlatch_fleet.serve.directory import Directory  # noqa: PLC0415
    from unlatch_fleet.serve.ports import Database  # noqa: PLC0415

    registry = Registry()
    fleet = read_fleet(file, registry.targets)
    return Service(
        hooks={name: _hook(name, hook, registry) for name, hook in fleet.webhooks.items()},
        directory=Directory(_listed(fleet.repositories, registry)),
        queue=Database(database),
        registry=registry,
        token=_token(os.environ, is_needed=not address.is_loopback),
        is_local=address.is_loopback,
        tell=output.talk,
    )


def _hook(name: str, webhook: Webhook, registry: Registry) -> Hook:
    from unlatch_fleet.serve.hooks import Hook, Proof  # noqa: PLC0415  (of an extra)

    if not registry.manifest(webhook.tracker).events:
        message = f"the plugin of {webhook.tracker} reads no messages"
        raise UsageError("unknown-event-source", message, where=f"webhooks.{name}")
    secret = read_webhook_secret(name, webhook.secret, os.environ)
    return Hook(name, webhook.tracker, Proof(webhook.proof), secret.encode())


def _listed(repositories: Iterable[Repository], registry: Registry) -> Iterable[Listed]:
    from unlatch_fleet.serve.directory import Listed  # noqa: PLC0415  (of an extra)

    for repository in repositories:
        own = own_targets(repository.address, registry)
        place = next(((tracker, targets[0]) for tracker, targets in own.items()), None)
        targets = {
            tracker: [name for entry in entries for name in names_in_events(entry)]
            for tracker, entries in {**own, **repository.targets}.items()
        }
        yield Listed(repository.address.key, place, repository.branch, targets)


def _token(environ: Mapping[str, str], *, is_needed: bool) -> bytes | None:
    token = environ.get(TOKEN, "")
    remember_secrets(token)
    if len(token) < SHORTEST and (token or is_needed):
        raise UsageError(
            "secret-short" if token else "secret-missing",
            "page and metrics need a token where others may reach them"
            if not token
            else f"{TOKEN} has fewer than {SHORTEST} characters",
            where=TOKEN,
            hint=f"set {TOKEN} to the output of: openssl rand -hex 32",
        )
    return token.encode() or None


def _shown(address: Address, place: object, certificate: object) -> str:
    if address.port is None or not isinstance(place, tuple):
        return f"unix:{address.host}"
    host = f"[{address.host}]" if ":" in address.host else address.host
    return f"{'https' if certificate else 'http'}://{host}:{place[1]}"
