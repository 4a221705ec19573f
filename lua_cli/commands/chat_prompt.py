"""The prompt of `lua chat`: lines in, answers out, until the end of input or /quit. A line that begins with / is a
command.

Lines are edited with prompt_toolkit where it is installed (the extra `chat`), else with readline.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from lua_cli.errors import EXIT_OK, LuaError, UsageError
from lua_cli.records import record, replace

if TYPE_CHECKING:
    from lua_cli.commands.agents import Agents, Where
    from lua_cli.commands.threads import Threads
    from lua_cli.commands.transcripts import Kept
    from lua_cli.runtime.agents import PythonConversation
    from lua_cli.runtime.turns import Entry, Model

_HELP = """\
/tools            what is offered now, and what is left out, and why
/prompt           exactly what the model sees, with tokens a part
/user FILE        from here on another end user; /user alone says who it is
/channel C        from here on text or voice
/save FILE        write the transcript
/help, /quit"""


@record(slots=False)
class _Room:
    """A conversation at the prompt, and what it can be reopened with."""

    agents: Agents
    talk: PythonConversation
    model: Model
    where: Where
    transcript: list[Entry]


def converse(
    agents: Agents,
    talk: PythonConversation,
    model: Model,
    where: Where,
    kept: Kept,
) -> int:
    """Talk until the person leaves; the conversation is kept under its thread, or a name of today's."""
    from lua_cli.commands.session import note

    threads = kept.threads
    name = kept.thread or _todays_name(threads)
    room = _Room(agents, talk, model, where, [kept.begun])
    note(f"{talk.agent} on {model.name}; /help says what else can be typed, Ctrl-D ends")
    read = _reader(agents.project.output)
    try:
        while (line := read()) is not None:
            if not line.strip():
                continue
            if line.startswith("/"):
                if line.strip() in ("/quit", "/exit"):
                    break
                _tried(lambda line=line: _command(room, line))  # type: ignore[misc]
                continue
            _tried(lambda line=line: _turn(room, line))  # type: ignore[misc]
            threads.write(name, room.talk.agent, room.talk.messages)
    finally:
        room.talk.close()
        kept.save_transcript(room.transcript)
    if room.talk.messages:
        note(f"go on with: lua chat --thread {name}")
    return EXIT_OK


def _tried(work: Callable[[], None]) -> None:
    """An error is said, and the conversation goes on."""
    from lua_cli.commands.session import fail

    try:
        work()
    except LuaError as error:
        fail(error)


def _turn(room: _Room, text: str) -> None:
    from lua_cli.commands.chat import error_of, take
    from lua_cli.commands.chat_showing import Shown, show_entry
    from lua_cli.commands.session import say_piece
    from lua_cli.runtime.turns import Rules

    shown = Shown(streamed=True)

    def heard(entry: Entry) -> None:
        room.transcript.append(entry)
        if entry.kind == "model" and entry.facts["text"]:
            say_piece("\n")
        show_entry(entry, shown)

    outcome = take(room.talk, text, room.model, Rules(on_entry=heard, on_text=say_piece))
    error = error_of(outcome)
    if error is not None:
        raise error


def _command(room: _Room, line: str) -> None:
    from lua_cli.commands.session import note

    word, _, rest = line.strip().partition(" ")
    rest = rest.strip()
    if word == "/tools":
        from lua_cli.commands.gates import gate_lines

        note("\n".join(gate_lines(room.talk.gates())))
    elif word == "/prompt":
        from lua_cli.commands.prompt import prompt_lines

        note("\n".join(prompt_lines(room.talk.offer())))
    elif word == "/user":
        _user(room, rest)
    elif word == "/channel":
        room.where = replace(room.where, channel=rest).checked()
        _reopen(room)
        note(f"the channel is {rest}")
    elif word == "/save":
        _save(room, rest)
    elif word == "/help":
        note(_HELP)
    else:
        raise UsageError(f"{word} is no command", hint="/help lists them")


def _user(room: _Room, file: str) -> None:
    from lua_cli.commands.session import note

    if file:
        room.where = replace(room.where, user=Path(file))
        _reopen(room)
    user = room.talk.user
    note("nobody is known" if user is None else f"{user.id} {json.dumps(dict(user.data), ensure_ascii=False)}")


def _reopen(room: _Room) -> None:
    """The same conversation in other surroundings; tools begin anew."""
    from lua_cli.runtime.state import read_user
    from lua_cli.runtime.turns.saved import setting

    reopened = room.agents.talk(room.talk.facts, room.where, messages=room.talk.messages)
    room.talk.close()
    room.talk = reopened
    user = read_user(room.where.user) if room.where.user is not None else None
    room.transcript.append(setting(reopened.agent, room.where.channel, user))


def _save(room: _Room, file: str) -> None:
    from lua_cli.commands.transcripts import save_transcript

    if not file:
        raise UsageError("/save needs a file", hint="/save transcript.json")
    save_transcript(Path(file), room.transcript)


def _todays_name(threads: Threads) -> str:
    from datetime import date

    number = 1
    while threads.has(f"{date.today()}-{number}"):
        number += 1
    return f"{date.today()}-{number}"


def _reader(folder: Path) -> Callable[[], str | None]:
    """Reads a line; None at the end of input."""
    try:
        from prompt_toolkit import PromptSession
        from prompt_toolkit.history import FileHistory
    except ImportError:
        return _plain_reader
    folder.mkdir(parents=True, exist_ok=True)
    session: PromptSession[str] = PromptSession(history=FileHistory(str(folder / "chat-history")))

    def read() -> str | None:
        try:
            return session.prompt("> ")
        except EOFError:
            return None
        except KeyboardInterrupt:
            return ""

    return read


def _plain_reader() -> str | None:
    import contextlib

    with contextlib.suppress(ImportError):
        import readline  # noqa: F401  # its import gives input() line editing
    try:
        return input("> ")
    except EOFError:
        return None
    except KeyboardInterrupt:
        return ""
