"""Record the SARIF files beside this file, with ruff, bandit and eslint at the versions below.

python tests/unlatch_regressions/record_alerts.py

The tools are installed in a temporary folder; the folder of the run is called /project in the
files. The texts of the rules are left out.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ALERTS = Path(__file__).parent / "alerts"
PYTHON = ("ruff==0.14.0", "bandit[sarif]==1.8.6")
NODE = ("eslint@9.38.0", "@microsoft/eslint-formatter-sarif@3.1.0")
FILES = {
    "src/search.py": "import os\n\n\ndef search(words):\n    return eval(words)\n",
    "src/accepted.py": "import os  # noqa: F401\n\n\ndef run(text):\n    exec(text)  # nosec\n",
    "src/broken.py": "def search(:\n",
    "web/search.js": "const unused = 1;\n// eslint-disable-next-line no-eval -- t\neval('1');\n",
    "web/broken.js": "const = 1;\n",
    "eslint.config.js": "module.exports = [{rules: {'no-unused-vars': 2, 'no-eval': 2}}];\n",
}


def main() -> None:
    """Run the tools on a project of our own."""
    with tempfile.TemporaryDirectory() as place:
        root = Path(place).resolve() / "project"
        for name, text in FILES.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        tools = Path(place).resolve() / "tools"
        _run(root, sys.executable, "-m", "venv", str(tools))
        _run(root, str(tools / "bin/pip"), "install", "--quiet", *PYTHON)
        _run(root, "npm", "install", "--silent", "--prefix", str(tools), *NODE)
        ruff, bandit = str(tools / "bin/ruff"), str(tools / "bin/bandit")
        eslint = str(tools / "node_modules/.bin/eslint")
        form = str(tools / "node_modules/@microsoft/eslint-formatter-sarif/sarif.js")
        _keep(root, "ruff", _run(root, ruff, "check", "--isolated", "--output-format=sarif", "src"))
        _keep(root, "bandit", _run(root, bandit, "--recursive", "--format=sarif", "src"))
        _keep(root, "eslint", _run(root, eslint, "--format", form, "web"))


def _run(root: Path, *command: str) -> str:
    done = subprocess.run(command, cwd=root, check=False, capture_output=True, text=True)
    # Linters end with 1 if they find something.
    if done.returncode > 1 or (done.returncode and not done.stdout):
        raise SystemExit(f"{command[0]}: {done.stderr}")
    return done.stdout


def _keep(root: Path, name: str, text: str) -> None:
    log: Any = json.loads(text.replace(str(root), "/project"))
    for run in log["runs"]:
        run["tool"]["driver"].pop("rules", None)
    ALERTS.mkdir(exist_ok=True)
    (ALERTS / f"{name}.sarif").write_text(json.dumps(log, indent=1) + "\n")


if __name__ == "__main__":
    main()
