"""metadata.json as crashes, merges, people and other tools leave it."""

from tests.cli.project import NAME, REASON, Project
from tests.cli.refusing import assert_refused, assert_unchanged

RESUME = ("resume", "7", "--reason", REASON, "--yes")
DAMAGE = {
    "empty": (b"", "metadata-invalid"),
    "blank": (b" \n", "metadata-invalid"),
    "truncated": (b'{"id": "0007-smart-discipline", "status": "comp', "metadata-invalid"),
    "not UTF-8": (b'{"status": "completed", "note": "\xff\xfe"}', "metadata-invalid"),
    "no object": (b"[]", "metadata-invalid"),
    "newer": (b'{"status": "completed", "formatVersion": 99}', "metadata-newer"),
    "in conflict": (
        b'{\n<<<<<<< HEAD\n  "status": "active"\n=======\n  "status": "completed"\n>>>>>>> b\n}\n',
        "metadata-in-conflict",
    ),
    "unknown status": (b'{"status": "asleep"}', "status-unknown"),
    "no status": (b'{"id": "0007-smart-discipline"}', "status-unknown"),
    "bad pending": (b'{"status": "completed", "pending": [1]}', "metadata-invalid"),
}


def test_a_metadata_file_that_cannot_be_read(single: Project) -> None:
    path = single.folder() / "metadata.json"
    for content, error in DAMAGE.values():
        path.write_bytes(content)
        before = single.tree()

        for command in (RESUME, ("link", "7", single.urls["github"]), ("show", "7")):
            done = single.run(*command)

            assert_refused(done, 1, error)
            assert str(path) in done.err
        assert_unchanged(single, before)
        broken = single.run("list", "--json").document[0]["broken"]
        assert error == broken["id"], content
        assert "broken  " in single.run("list").out
        assert f"Broken       {NAME}: " in single.run("status").out


def test_a_duplicate_key_is_read_with_a_warning_and_never_written(single: Project) -> None:
    path = single.folder() / "metadata.json"
    text = path.read_text()
    path.write_text(text.replace('"status"', '"status": "active",\n  "status"', 1))
    before = single.tree()
    done = single.run(*RESUME)
    single.run("show", "7", "--offline").shows(
        out="  Status       completed", err="/status occurs twice; the last one counts"
    )
    assert_refused(done, 1, "metadata-duplicate-key")
    assert_unchanged(single, before)


def test_two_increments_of_one_name_block_the_way_out_of_the_archive(project: Project) -> None:
    project.increment(archived=True)
    (project.folder()).mkdir()
    (project.folder() / "notes.md").write_text("in the way")
    before = project.tree()
    done = project.run(*RESUME)
    assert done.code in (1, 2), done.said
    assert done.err.startswith("error[")
    assert_unchanged(project, before)
