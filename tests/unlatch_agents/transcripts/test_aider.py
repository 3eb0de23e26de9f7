from pathlib import Path

from tests.unlatch_agents.transcripts.lines import outline

from unlatch_agents.transcripts import Usage, read_transcripts
from unlatch_agents.transcripts.conversation import Prompt, Reply, ToolCall

# aider ends its lines with two spaces: "~~" here.
HISTORY = """
# aider chat started at 2024-08-05 19:33:02

> Aider v0.47.2-dev~~
> Models: claude-3-5-sonnet with diff edit format, weak model haiku~~

# aider chat started at 2024-08-05 19:33:32

> Aider v0.47.2-dev~~
> Main model: gpt-4o with diff edit format~~

#### Use the spinner~~
#### in utils.py~~

Certainly!

## A heading
```python
# a comment
```

> Tokens: 12.5k sent, 1.2k cache write, 3k cache hit, 604 received. Cost: $0.02 request.~~
> Applied edit to aider/utils.py~~
> Tokens: 1,244 sent, 6 received.~~
> ^C again to exit~~
> ^C KeyboardInterrupt~~

#### /undo~~

# aider chat started at 2024-08-05 19:33:32

#### hi~~
""".replace("~~", "  ")


def test_chats_of_a_file_are_transcripts(tmp_path: Path) -> None:
    path = tmp_path / ".aider.chat.history.md"
    path.write_text(HISTORY)
    first, second = read_transcripts(path)
    reply = "Certainly!\n\n## A heading\n```python\n# a comment\n```"
    prompt = "> Use the spinner  \nin utils.py"
    edit = "edit: Applied edit to aider/utils.py"
    assert outline(first.events) == [prompt, reply, edit, "interruption", "> /undo"]
    assert first.usage == Usage(13744, 610, 3000, 1200)
    assert (first.version, first.model, first.cwd) == ("0.47.2-dev", "gpt-4o", str(tmp_path))
    assert (first.id, second.id) == ("2024-08-05 19:33:32", "2024-08-05 19:33:32 (2)")
    assert (first.title, second.title) == ("Use the spinner", "hi")
    assert [it.key for it in first.events] == ["0", "1", "2", "3", "4"]


# Of 0.86.2, with `--message`, then `/ask`.
MESSAGES = """
# aider chat started at 2026-11-28 21:21:31

> aider --model openai/scripted --message Fix it~~

and test it~~
> Aider v0.86.2~~

#### Fix it~~
####   ~~
#### and test it~~

Look:

#### Plan

> quoted words

end

> Tokens: 596 sent, 29 received.~~

#### /ask what is it~~

#### what is it~~

A test.
#### /ask what is it~~
""".replace("~~", "  ")


def test_words_are_those_of_their_writer_and_count_once(tmp_path: Path) -> None:
    path = tmp_path / "history.md"
    path.write_text(MESSAGES)
    (found,) = read_transcripts(path)
    reply = "Look:\n\n#### Plan\n\n> quoted words\n\nend"
    asked = "> /ask what is it"
    prompt, *others = outline(found.events)
    assert prompt.split() == [">", "Fix", "it", "and", "test", "it"]
    assert others == [reply, asked, "A test.", asked]
    assert found.usage == Usage(596, 29)

    # As an editor leaves it that removes blanks at the ends of lines.
    path.write_text("\n".join(line.rstrip() for line in MESSAGES.splitlines()))
    (stripped,) = read_transcripts(path)
    assert [it for it in outline(stripped.events) if it.startswith(">")][-1] == asked


def test_broken_time_and_numbers_are_none(tmp_path: Path) -> None:
    path = tmp_path / "history.md"
    path.write_text("# aider chat started at noon\n#### hi\n> Tokens: 1.2.3 sent, x received. \n")
    (found,) = read_transcripts(path)
    assert (found.id, found.started, found.usage.output) == ("noon", None, 0)


def test_an_edit_that_did_not_fit_has_failed_and_is_no_word_of_the_model(tmp_path: Path) -> None:
    block = "<<<<<<< SEARCH\nabsent(77)\n> quoted\n=======\nprint(2)\n>>>>>>> REPLACE"
    misfit = (
        "> # 1 SEARCH/REPLACE block failed to match!\n\n"
        "## SearchReplaceNoExactMatch: This SEARCH block failed to match lines in hello.py\n"
        f"{block}\n\n"
    )
    path = tmp_path / ".aider.chat.history.md"
    path.write_text(
        "# aider chat started at 2026-11-20 12:00:00\n\n#### Change  \n\n"
        f"hello.py\n{block}\n\n"
        f"> Tokens: 2.4k sent, 27 received.  \n{misfit}The block must match exactly, etc  \n\n"
        "I leave it.\n\n#### no, look again  \n\n"
        # A model that writes the beginning takes no word of the person with it.
        "> # 1 SEARCH/REPLACE block failed to match!\n\n#### and now  \n\nDone.\n"
    )
    [transcript] = read_transcripts(path)
    prompts = [event.text for event in transcript.events if isinstance(event, Prompt)]
    replies = [event.text for event in transcript.events if isinstance(event, Reply)]
    [call] = [event for event in transcript.events if isinstance(event, ToolCall)]
    assert prompts == ["Change", "no, look again", "and now"]
    assert [reply.splitlines()[0] for reply in replies] == ["hello.py", "I leave it.", "Done."]
    assert (call.arguments, call.result and call.result.failed) == ({"path": "hello.py"}, True)
    assert call.result
    assert call.result.text.endswith("The block must match exactly, etc")
