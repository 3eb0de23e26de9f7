"""Open the model of the user's own configuration."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from unlatch.errors import ModelError, ModelUnauthorised
from unlatch.errors.known_secrets import remember_secrets
from unlatch.transport.breaker import DEFAULT_OPTIONS, TransportOptions
from unlatch.transport.trust import check_secure

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from unlatch.chat_model import Complete
    from unlatch.config.tables import LlmConfig
    from unlatch.transport.credentials import Credential


def open_model(
    config: LlmConfig,
    *,
    environ: Mapping[str, str],
    where: Path,
    options: TransportOptions = DEFAULT_OPTIONS,
) -> Complete:
    """The configured model; nothing is sent.

    `where` is the user's own configuration, for errors. The time-outs in `options` are replaced by
    the configured one, except that for connecting.

    ModelError: `llm-unconfigured`, `llm-extra-missing`; ModelUnauthorised: `llm-key-missing`;
    UnlatchError: the key or the address cannot be used.
    """
    is_litellm = config.provider == "litellm"
    wanted = {"base_url": is_litellm or config.base_url, "model": config.model}
    if missing := [name for name, value in wanted.items() if not value]:
        raise _unconfigured(missing, where)
    credential = _credential(config.key_env, environ, where)
    seconds = config.timeout
    chosen = replace(options, timeouts=(options.timeouts[0], seconds), deadline=seconds)
    model, base_url = config.model or "", config.base_url
    if base_url:
        check_secure(base_url)  # the user's own configuration names the host, so it is trusted
    if is_litellm:
        from unlatch_efforts.llm.litellm_adapter import LiteLlm  # noqa: PLC0415

        return LiteLlm(
            model, base_url=base_url, credential=credential, config=str(where), timeout=seconds
        )
    from unlatch_efforts.llm.chat_completions import ChatCompletions  # noqa: PLC0415  (loads requests)

    return ChatCompletions(
        base_url or "", model=model, credential=credential, config=str(where), options=chosen
    )


def _unconfigured(missing: list[str], where: Path) -> ModelError:
    names = " and ".join(missing)
    verb = "is" if len(missing) == 1 else "are"
    example = 'base_url = "http://127.0.0.1:11434/v1" and model = "NAME"'
    return ModelError(
        "llm-unconfigured",
        f"no chat model is configured: {names} {verb} missing under [llm]",
        where=str(where),
        hint=f"add a table [llm] to this file, with {example}",
    )


def _credential(name: str | None, environ: Mapping[str, str], where: Path) -> Credential | None:
    if name is None:
        return None
    if not (secret := environ.get(name)):
        raise ModelUnauthorised(
            "llm-key-missing",
            f"{name} is not set in the environment, and should have the key for the chat model",
            where=str(where),
            hint=f"export {name}=KEY, or remove key_env under [llm] if the server needs no key",
        )
    from unlatch.spi import Scheme  # noqa: PLC0415
    from unlatch.transport.credentials import Credential  # noqa: PLC0415

    remember_secrets(secret)
    return Credential(secret, Scheme.BEARER, name)
