"""What people have in agents' settings files means the same after install, and is there again."""

import json
import tomllib
from typing import Any

import pytest
from tests.cli.agents.test_install import agents, put
from tests.cli.project import Project

_TABLE = '[mcp_servers.unlatch]\ncommand = "'
CONFIGS = {
    "dotted": pytest.param(
        'mcp_servers.docs.command = "x"\nmodel = "gpt-5"\n', marks=pytest.mark.sweep
    ),
    "inline": 'mcp_servers = { docs = { command = "x" } }\nmodel = "gpt-5"\n',
    "no newline": 'model = "gpt-5"',
    "windows": pytest.param(
        '# mine\r\nmodel = "gpt-5"\r\n\r\n[mcp_servers.docs]\r\ncommand = "x"\r\n',
        marks=pytest.mark.sweep,
    ),
    "mark": pytest.param('\ufeffmodel = "gpt-5"\n', marks=pytest.mark.sweep),
    "order": '[mcp_servers.docs]\ncommand = "x"\n[tui]\nvim = true\n[mcp_servers.more]\nargs=[]\n',
    "array": '[[skills]]\npath = "a"\n[[skills]]\npath = "b"\n',
    "values": "when = 2026-01-01T00:00:00Z\nlimit = nan\ntext = '''\n[mcp_servers]\n'''\n",
    "empty": pytest.param("", marks=pytest.mark.sweep),
    "comment": pytest.param("# nothing yet\n", marks=pytest.mark.sweep),
    "header": '[mcp_servers]\n\n[tui]\nvim = true # as in "vi"\n',
}


def read(text: str) -> dict[str, Any]:
    return tomllib.loads(text.removeprefix("\ufeff").replace("\r\n", "\n"), parse_float=str)


@pytest.mark.parametrize("before", CONFIGS.values(), ids=CONFIGS)
def test_codex_reads_its_settings_as_before(project: Project, before: str) -> None:
    put(project.home, ".codex/config.toml", "")
    path = project.home / ".codex/config.toml"
    path.write_bytes(before.encode())
    for _ in range(2):
        agents(project, "install", "codex", "--yes").ends(0)
        text = path.read_bytes().decode()
        found = read(text)
        assert found["mcp_servers"].pop("unlatch")["args"] == ["mcp"]
        assert {"mcp_servers": {}, **read(before)} == found
    if before == CONFIGS["order"]:
        assert text.startswith(f"{before}\n{_TABLE}")
    assert agents(project, "uninstall", "codex", "--yes").code == 0
    assert before.encode() == path.read_bytes()


def test_table_that_was_written_in_another_way_is_removed(project: Project) -> None:
    put(project.home, ".codex/config.toml", 'model = "gpt-5"\n')
    path = project.home / ".codex/config.toml"
    assert agents(project, "install", "codex", "--yes").code == 0
    text = path.read_text().replace("args = [", "# mine\nargs   =   [")
    path.write_text(f"{text}\n[tui]\nvim = true\n")
    assert agents(project, "uninstall", "codex", "--yes").code == 0
    assert read(path.read_text()) == {"model": "gpt-5", "tui": {"vim": True}}


def test_uninstall_passes_over_what_has_become_another_type(project: Project) -> None:
    put(project.home, ".claude/settings.json", "{}")
    assert agents(project, "install", "claude", "--yes").code == 0
    for text in ('{"hooks": {"SessionEnd": 3, "PreCompact": null}}', '{"hooks": "none"}'):
        put(project.home, ".claude/settings.json", text)
        assert agents(project, "uninstall", "claude", "--yes").code == 0
        assert (project.home / ".claude/settings.json").read_text() == text


@pytest.mark.parametrize(
    "before",
    [
        '\ufeff{"model": "opus"}',
        '{\r\n\t"model": "opus",\r\n\t"hooks": {}\r\n}\r\n',
        '{"a": 1.0, "b": 1e400, "c": -0.0, "d": "\\ud800", "e": 12345678901234567890123}',
        '{"mcpServers": {"unlatch": null}}',
        '{"hooks": {"SessionEnd": [null, 3, "unlatch"]}}',
    ],
)
def test_settings_mean_the_same_as_before(project: Project, before: str) -> None:
    put(project.home, ".gemini/settings.json", "")
    path = project.home / ".gemini/settings.json"
    path.write_bytes(before.encode())
    code = 5 if 'unlatch": null' in before else 0  # an entry that unlatch never wrote
    assert agents(project, "install", "gemini", "--yes").code == code
    found = json.loads(path.read_bytes().decode("utf-8-sig"))
    wanted = json.loads(before.removeprefix("\ufeff"))
    assert {name: found[name] for name in wanted.keys() - {"hooks", "mcpServers"}} == {
        name: value for name, value in wanted.items() if name not in {"hooks", "mcpServers"}
    }
    assert agents(project, "uninstall", "gemini", "--yes").code == 0
    assert before.encode() == path.read_bytes()


@pytest.mark.parametrize(
    "before",
    [
        "mcp_servers = 3\n",
        'mcp_servers.unlatch.command = "mine"\nmodel = "x"\n',
        '[[mcp_servers]]\nname = "x"\n',
        "[a]\n" * 2,
        f"a = {'[' * 5000}",
        "\udcff",
    ],
)
def test_toml_that_has_no_place_for_the_table_is_not_changed(project: Project, before: str) -> None:
    put(project.home, ".codex/config.toml", "")
    path = project.home / ".codex/config.toml"
    path.write_bytes(raw := before.encode(errors="surrogateescape"))
    done = agents(project, "install", "codex", "--yes")
    kept = "stays: unlatch did not write it" in done.out
    assert (done.code, kept) in {(1, False), (5, True)}
    assert kept or "error[agent-file-unreadable]" in done.err
    assert path.read_bytes() == raw
