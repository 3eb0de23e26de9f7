"""The installation in a job runs no file of the checkout, and gets no token."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.ci.test_action import ACTION, AZURE_STEPS, BASH, GITLAB_JOB
from tests.docs.pages import ROOT
from tests.pairs import sampled

SCRIPTS = {
    "github": (ACTION["runs"]["steps"][0]["run"], ACTION["runs"]["steps"][0]["env"]),
    "azure": (AZURE_STEPS["steps"][1]["bash"], AZURE_STEPS["steps"][1]["env"]),
    "gitlab": (GITLAB_JOB["script"][0], GITLAB_JOB["variables"]),
}
TOKENS = ("GITHUB_TOKEN", "AZURE_DEVOPS_EXT_PAT", "JIRA_API_TOKEN", "MY_OWN_SECRET", "PYTHONPATH")
KEPT = ("PIP_INDEX_URL", "https_proxy", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE")
# It notes its variables. `venv` makes an environment whose python is this program again, and `pip`
# is asked for its version only.
PYTHON = """\
#!/bin/sh
env >> '{log}'
case " $* " in
*" venv "*)
    '{python}' "$@" --without-pip || exit
    for place; do :; done
    rm "$place/bin/python" && cp "$0" "$place/bin/python"
    ;;
*" pip "*) exec '{python}' "$1" "$2" "$3" --version ;;
esac
"""
CALLED = re.compile(r"python3?\)?\"?((?: +-\w+)*) +-m (venv|pip|ensurepip|compileall|unlatch)\b")


@pytest.mark.parametrize("system", sampled(SCRIPTS, {"github"}))
def test_the_installation_runs_no_file_of_the_checkout(tmp_path: Path, system: str) -> None:
    checkout, temp, log = (tmp_path / name for name in ("checkout", "temp", "log"))
    for folder in (checkout, temp):
        folder.mkdir()
    for name in ("venv", "pip", "ensurepip", "site", "json", "subprocess", "sitecustomize", "os"):
        (checkout / f"{name}.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    script, environ = SCRIPTS[system]
    variables = {name: value for name, value in environ.items() if "{{" not in value}
    given = {
        "PATH": f"{_programs(tmp_path, log)}:{os.environ['PATH']}",
        "HOME": str(tmp_path),
        "RUNNER_TEMP": str(temp),
        "AGENT_TEMPDIRECTORY": str(temp),
        "GITHUB_PATH": str(tmp_path / "path"),
        "GITHUB_ACTION_PATH": str(ROOT),
        "UNLATCH_PACKAGE": "unlatch[all]",
        "UNLATCH_VERSION": "",
        "CI_COMMIT_MESSAGE": "Fix\nPIP_INDEX_URL=a\nPIP_OF_A_STRANGER=b",
        **dict.fromkeys(TOKENS, "s3cret"),
        **{name: f"value of {name}" for name in KEPT},
    }

    done = subprocess.run(
        [*BASH, script],
        cwd=checkout,
        env={**variables, **given},
        capture_output=True,
        text=True,
        check=False,
    )

    assert 0 == done.returncode, done.stdout + done.stderr
    assert "pip " in done.stdout  # its version
    assert not (tmp_path / "ran").exists()
    seen = log.read_text()
    assert "s3cret" not in seen
    assert "STRANGER" not in seen
    assert [] == [name for name in KEPT if f"{name}=value of {name}\n" not in seen]


def _programs(folder: Path, log: Path) -> Path:
    programs = folder / "programs"
    programs.mkdir()
    text = PYTHON.format(log=log, python=sys.executable)
    writes = ["sh", "-c", 'cat > "$0"; chmod +x "$0"', str(programs / "python3")]
    subprocess.run(writes, input=text, text=True, check=True)
    return programs


def test_no_page_or_script_starts_a_module_that_the_current_folder_can_replace() -> None:
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md"), ROOT / "Makefile"]
    scripts = [ROOT / "action.yml", *(ROOT / "ci").iterdir(), *(ROOT / ".github").rglob("*.yml")]
    ours = [path for top in ("core", "plugins") for path in (ROOT / top).rglob("*.py")]
    sources = [*ours, *(ROOT / "integrations").rglob("*.[jm]*")]
    places = {path: path.read_text(encoding="utf-8") for path in pages + scripts + sources}
    calls = [(path, match) for path, text in places.items() for match in CALLED.finditer(text)]
    unsafe = [(path, m[0]) for path, m in calls if not {"-I", "-P"} & set(m[1].split())]
    assert [] == unsafe
    assert len(calls) > 5
