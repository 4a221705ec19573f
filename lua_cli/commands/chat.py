"""`lua chat`: talk with an agent, once (`-m`) or at a prompt. The answer goes to stdout, everything else to stderr."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lua_cli.commands.agents import BUDGET, AgentName, Budget, Network, Sandboxed, StateAt, UserFile, Where
from lua_cli.errors import EXIT_INTERRUPTED, EXIT_OK, LuaError, ProviderError, UsageError

if TYPE_CHECKING:
    from lua_cli.commands.transcripts import Kept
    from lua_cli.runtime.agents import PythonConversation
    from lua_cli.runtime.turns import Entry, Model, Outcome, Rules

EnvFile = Annotated[Path | None, typer.Option("--env-file", help="More variables: NAME=value lines.", metavar="FILE")]


def chat_command(
    messages: Annotated[
        list[str] | None,
        typer.Option("--message", "-m", metavar="TEXT", help="Say this and print the answer; again for more turns."),
    ] = None,
    agent: AgentName = None,
    model: Annotated[
        str | None, typer.Option("--model", metavar="M", help="provider/model, or scripted:FILE.json.")
    ] = None,
    user: UserFile = None,
    channel: Annotated[str | None, typer.Option("--channel", metavar="C", help="text or voice.")] = None,
    thread: Annotated[
        str | None, typer.Option("--thread", metavar="NAME", help="Go on with a conversation, or begin one to keep.")
    ] = None,
    save: Annotated[
        Path | None, typer.Option("--save", metavar="FILE", help="Write the transcript there, for --show and --replay.")
    ] = None,
    replay: Annotated[
        Path | None,
        typer.Option("--replay", metavar="FILE", help="Have a saved conversation again; the model's part is played."),
    ] = None,
    show: Annotated[
        Path | None, typer.Option("--show", metavar="FILE", help="Show a saved transcript, run nothing.")
    ] = None,
    env_file: EnvFile = None,
    timeout: Annotated[float, typer.Option("--timeout", help="Seconds a tool may take.", metavar="SECONDS")] = 30.0,
    gate_timeout: Budget = BUDGET,
    state: StateAt = "local",
    sandbox: Sandboxed = False,
    network: Network = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> int:
    """Talk with an agent: at a prompt, or once with -m."""
    from lua_cli.commands.agents import Agents
    from lua_cli.commands.session import current, project
    from lua_cli.commands.threads import Threads
    from lua_cli.commands.transcripts import Kept, show_transcript, with_whom
    from lua_cli.runtime.turns.saved import read_transcript, setting

    if show is not None:
        return show_transcript(show)
    before_it = read_transcript(replay) if replay is not None else None
    if before_it is not None and (messages or model or thread):
        raise UsageError(
            "--replay brings the messages and the model's answers", hint="leave -m, --model and --thread out"
        )
    if not messages and before_it is None and (as_json or not current().interactive):
        raise UsageError("-m is missing: what shall be said?", hint='lua chat -m "Where is my order?"')
    if before_it is not None and state != "local":
        raise UsageError("--replay begins without data, and keeps none", hint="leave --state out")
    who, channel = with_whom(before_it, user, channel)
    fresh = before_it is not None
    where = Where(channel, user, env_file, timeout, gate_timeout, state, sandbox, network, fresh).checked()
    agents = Agents(project())
    facts = agents.named(agent)
    kept = Kept(Threads(agents.project.output), setting(facts.name, channel, who), thread, save, before_it)
    chosen = kept.player() if before_it is not None else _model(model, facts.model)
    before = kept.threads.read(thread, facts.name) if thread is not None else ()
    with agents.talk(facts, where, user=who, messages=before) as talk:
        if not messages and before_it is None:
            from lua_cli.commands.chat_prompt import converse

            return converse(agents, talk, chosen, where, kept)
        return _say_all(talk, chosen, list(messages or kept.said), as_json, kept)


def _model(asked: str | None, agents: str | None) -> Model:
    from lua_cli.runtime.models.choosing import choose_model

    return choose_model(asked, agents, os.environ, Path.cwd())


def _say_all(talk: PythonConversation, model: Model, messages: list[str], as_json: bool, kept: Kept) -> int:
    """Say one message after another; the last answer is the result."""
    from lua_cli.commands.chat_showing import Shown, show_entry
    from lua_cli.commands.session import fail, print_json, say
    from lua_cli.runtime.turns import Rules, Usage

    entries: list[Entry] = [kept.begun]
    usage, answer = Usage(), ""
    shown = Shown()

    def heard(entry: Entry) -> None:
        entries.append(entry)
        if not as_json:
            show_entry(entry, shown)

    error: LuaError | None = None
    raised: LuaError | None = None
    for text in messages:
        try:
            outcome = take(talk, text, model, Rules(on_entry=heard))
        except LuaError as problem:
            error = raised = problem
            break
        usage, answer = usage + outcome.usage, outcome.answer
        error = error_of(outcome)
        if error is not None:
            break
        if not as_json:
            say(outcome.answer)
    if kept.thread is not None:
        kept.threads.write(kept.thread, talk.agent, talk.messages)
    kept.save_transcript(entries)
    error = kept.changed(entries, raised) or error
    if as_json:
        result: dict[str, Any] = {"ok": error is None, "answer": answer if error is None else None}
        if error is not None:
            result["error"] = {"type": error.kind.replace("_", "-"), "message": error.message, "hint": error.hint}
        print_json({**result, "transcript": [entry.document() for entry in entries], "usage": usage.document()})
        return EXIT_OK if error is None else error.exit_code
    return EXIT_OK if error is None else fail(error)


def take(talk: PythonConversation, text: str, model: Model, rules: Rules) -> Outcome:
    """One turn, which an interrupt (Ctrl-C) ends cleanly."""
    from lua_cli.commands.interrupts import cancelled_by_interrupt
    from lua_cli.records import replace
    from lua_cli.runtime.turns import Cancellation

    cancellation = Cancellation()
    with cancelled_by_interrupt(cancellation):
        return talk.say(text, model, replace(rules, cancellation=cancellation))


def error_of(outcome: Outcome) -> LuaError | None:
    """Why a turn has no answer; None when it has one."""
    error: LuaError
    if outcome.status == "exhausted":
        count = f"{outcome.iterations} model call" + ("" if outcome.iterations == 1 else "s")
        error = LuaError(
            f"no answer after {count}: the agent ran out of iterations",
            hint="see the transcript for what it kept asking; more are max_iterations of the agent",
        )
        error.kind = "exhausted"
    elif outcome.status == "refused":
        words = f": {outcome.answer}" if outcome.answer else ""
        error = ProviderError(f"the model refused{words}", hint="say it in other words, or look at the prompt")
        error.kind = "refused"
    elif outcome.status == "cancelled":
        error = LuaError("the turn was cancelled")
        error.kind, error.exit_code = "cancelled", EXIT_INTERRUPTED
    else:
        return None
    return error
