"""Transcripts of `lua chat`: saved to a file, shown, replayed. In: entries, files. Out: a file, lines, what differs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lua_cli.errors import EXIT_OK, LuaError, UsageError
from lua_cli.records import record

if TYPE_CHECKING:
    from lua_cli.commands.threads import Threads
    from lua_cli.runtime.state import EndUser
    from lua_cli.runtime.turns import Entry, Model
    from lua_cli.runtime.turns.saved import Transcript


@record(frozen=True, slots=False)
class Kept:
    """What a conversation goes on from, and what is kept of it.

    thread   its name among the project's threads, None for one that is not kept there
    save     the file of its transcript
    replay   the transcript that is had again
    begun    the line that says where it takes place and with whom
    """

    threads: Threads
    begun: Entry
    thread: str | None = None
    save: Path | None = None
    replay: Transcript | None = None

    @property
    def said(self) -> Sequence[str]:
        """What the user said in the transcript that is had again."""
        return self.replay.said if self.replay is not None else ()

    def player(self) -> Model:
        """Plays the model's part of the transcript that is had again."""
        from lua_cli.runtime.models.scripted import Scripted
        from lua_cli.sdk.scripted import ScriptedModel

        assert self.replay is not None  # noqa: S101  # asked for with a transcript alone
        return Scripted(ScriptedModel(self.replay.turns(), name=f"replay:{self.replay.name}"))

    def save_transcript(self, entries: Sequence[Entry]) -> None:
        """Write the transcript, where it is asked for. Raises UsageError."""
        if self.save is not None:
            save_transcript(self.save, entries)

    def changed(self, entries: Sequence[Entry], raised: LuaError | None = None) -> LuaError | None:
        """What is not as it was in the transcript that is had again, as an error; None when nothing is. What `raised`
        kept from happening is not told.
        """
        if self.replay is None:
            return None
        from lua_cli.runtime.turns.saved import differences

        found = differences(self.replay.lines, [entry.document() for entry in entries], whole=raised is None)
        if not found:
            return None
        more = f"\n  {len(found) - 20} more" if len(found) > 20 else ""
        more += f"\n  then it ended: {raised.message}" if raised is not None else ""
        changed = LuaError("the conversation is not as it was:\n  " + "\n  ".join(found[:20]) + more)
        changed.kind = "changed"
        return changed


def with_whom(before: Transcript | None, user: Path | None, channel: str | None) -> tuple[EndUser | None, str]:
    """The end user and the channel: those of the flags, else of the transcript that is had again. Raises NotFoundError,
    UsageError.
    """
    from lua_cli.commands.session import note
    from lua_cli.runtime.state import EndUser, read_user

    settings = before.settings if before is not None else ()
    if len({json.dumps([one.get("user"), one["channel"]]) for one in settings}) > 1:
        note("the end user or the channel changed on the way; all of it is had as it began")
    saved = settings[0] if settings else {}
    who = saved.get("user")
    if user is not None:
        return read_user(user), channel or saved.get("channel", "text")
    return EndUser(who["id"], who.get("data", {})) if who else None, channel or saved.get("channel", "text")


def save_transcript(path: Path, entries: Sequence[Entry]) -> None:
    """Write a transcript. Raises UsageError."""
    from lua_cli.commands.session import note

    try:
        text = json.dumps([entry.document() for entry in entries], ensure_ascii=False, indent=2)
        path.write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}") from error
    note(f"{len(entries)} lines in {path}")


def show_transcript(path: Path) -> int:
    """Show a saved transcript as the conversation was shown. Raises NotFoundError, UsageError."""
    from lua_cli.commands.chat_showing import Shown, entry_lines
    from lua_cli.commands.session import say
    from lua_cli.runtime.turns.saved import read_transcript

    shown = Shown()
    for entry in read_transcript(path).entries():
        if entry.kind == "user":
            say(f"> {entry.facts['text']}")
        for line in entry_lines(entry, shown):
            say(line)
        if entry.kind in ("answer", "refused"):
            say(entry.facts.get("text", ""))
        elif entry.kind in ("exhausted", "cancelled"):
            say(f"({entry.kind} after {entry.facts.get('iterations')} model calls)")
    return EXIT_OK
