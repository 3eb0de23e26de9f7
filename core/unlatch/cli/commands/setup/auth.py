"""unlatch auth: tokens in the system's keyring."""

import os
import sys

import click

from unlatch.cli.options.common import complete_tracker, text_option, with_json
from unlatch.cli.render.describe import brief
from unlatch.cli.runtime.context import Context
from unlatch.cli.runtime.groups import Group
from unlatch.cli.runtime.passing import with_context
from unlatch.cli.terminal import output, prompts
from unlatch.errors import Unauthorised, UsageError
from unlatch.errors.known_secrets import remember_secrets
from unlatch.project.check_trackers import read_settings
from unlatch.project.registry import Registry
from unlatch.spi import EnvToken, Manifest, Settings
from unlatch.transport.credentials import (
    Credential,
    delete_token,
    find_credential,
    missing_hint,
    scheme_for,
    store_token,
)
from unlatch.transport.trust import credential_host

TRACKER = click.argument("tracker", metavar="TRACKER", shell_complete=complete_tracker)


run = Group()


@run.command("login", help="Store a token in the keyring (prompts, or reads stdin). (local)")
@TRACKER
@text_option(
    "--user",
    metavar="NAME",
    help="The user name, if the token needs one.",
)
@with_context
def _login(context: Context, *, tracker: str, user: str | None) -> int:
    manifest = Registry().manifest(tracker)
    host = _host(context, manifest)
    user = _user(manifest, host, user)
    if sys.stdin.isatty():
        token = prompts.prompt(f"Token for {host}", hide_input=True)
    else:
        with prompts.asking():
            token = sys.stdin.readline().rstrip("\n")
    if not token:
        raise UsageError("token-missing", "the token is empty", hint="type it, or pass it on stdin")
    remember_secrets(token)
    # Made for its checks: a token that cannot be sent is not stored.
    Credential(token, scheme_for(manifest.tokens, user=user), "the input", user)
    store_token(token, tracker=tracker, host=host, user=user)
    output.talk(f"Token for {manifest.title} at {host} stored. Next: unlatch doctor")
    return 0


def _user(manifest: Manifest, host: str, user: str | None) -> str | None:
    """The user name of the token; asks for it only if every token of the tracker needs one."""
    needed = [token.user is not None for token in manifest.tokens if isinstance(token, EnvToken)]
    if user is not None and not any(needed):
        message = f"{manifest.title} takes a token without a user name"
        hint = f"unlatch auth login {manifest.name}"
        raise UsageError("user-not-needed", message, hint=hint)
    if user or not needed or not all(needed):
        return user
    if not sys.stdin.isatty():
        message = f"the token of {manifest.title} needs a user name"
        hint = f"unlatch auth login {manifest.name} --user NAME"
        raise UsageError("user-missing", message, hint=hint)
    return prompts.prompt(f"User name for {host} (not the token)")


@run.command("logout", help="Delete a token from the keyring. (local)")
@TRACKER
@with_context
def _logout(context: Context, *, tracker: str) -> int:
    host = _host(context, Registry().manifest(tracker))
    existed = delete_token(tracker=tracker, host=host)
    output.talk(f"Token for {host} deleted." if existed else f"No token for {host}.")
    return 0


@run.command("status", help="Show the source of each tracker's token, never the token. (local)")
@with_json
def _status(context: Context, *, as_json: bool) -> int:
    rows = [_row(context, name) for name in context.workspace.settings]
    for error in context.workspace.broken.values():
        output.note(brief(error))
    if as_json:
        output.document("auth", trackers=rows)
        return 0
    for row in rows:
        said = f"from {row['source']}" if row["source"] else f"none; {row['hint']}"
        output.data(f"{row['tracker']}  {row['host']}  {said}")
    if not rows:
        output.talk("No tracker is configured. Next: fill in .unlatch/config.toml")
    return 0


def _row(context: Context, tracker: str) -> output.Json:
    manifest = context.workspace.registry.manifest(tracker)
    host = _host(context, manifest)
    credential, hint = None, None
    try:
        credential = find_credential(manifest.tokens, tracker=tracker, host=host, env=os.environ)
        hint = None if credential else missing_hint(manifest.tokens, tracker=tracker)
    except Unauthorised as error:
        hint = f"{error.message}: {error.hint}"
    return {
        "tracker": tracker,
        "host": host,
        **output.fields(credential, "source", "user"),
        "hint": hint,
    }


def _host(context: Context, manifest: Manifest) -> str:
    settings = _settings(context, manifest)
    if settings is None:
        raise UsageError(
            "tracker-not-configured",
            f"{manifest.title} is not configured, so the token's host is unknown",
            hint=f"in your project, add a table [trackers.{manifest.name}] to .unlatch/config.toml",
        )
    return credential_host(settings.base_url)


def _settings(context: Context, manifest: Manifest) -> Settings | None:
    """The settings of a tracker; outside of a project the defaults, if complete."""
    try:
        if error := context.workspace.broken.get(manifest.name):
            raise error
        return context.workspace.settings.get(manifest.name)
    except UsageError as lacking:
        if lacking.id != "no-project":
            raise
    return read_settings(manifest, {})[0]
