"""`lua flow eval`: one CEL expression. `lua flow invoke`: one flow."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from lua_cli.errors import EXIT_FINDINGS, EXIT_OK, LuaError, NotFoundError, UsageError

if TYPE_CHECKING:
    from lua_cli.flows.cel import CelError, Scope
    from lua_cli.runtime.flows.invoking import Invoked

flow_app = typer.Typer(
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
    no_args_is_help=True,
    help="Try an expression, or call a flow of the project.",
)

Data = Annotated[str, typer.Option("--data", help="The body: JSON, @FILE, or - for stdin.", metavar="JSON")]
Vars = Annotated[str, typer.Option("--vars", help="The variables: a JSON object, or @FILE.", metavar="JSON")]
EnvFile = Annotated[Path | None, typer.Option("--env-file", help="More variables: NAME=value lines.", metavar="FILE")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]


# An expression may begin with a minus.
@flow_app.command("eval", context_settings={"ignore_unknown_options": True})
def eval_command(
    expression: Annotated[str, typer.Argument(metavar="CEL", help="The expression, in single quotes.")],
    data: Data = "{}",
    variables: Vars = "{}",
    env_file: EnvFile = None,
    as_json: AsJson = False,
) -> int:
    """Evaluate one CEL expression: body, vars, env, eventID, correlationID, now."""
    from lua_cli.commands.session import print_json, say
    from lua_cli.flows.cel import CelError, Scope, compile_cel
    from lua_cli.flows.json_text import as_text
    from lua_cli.runtime.flows.guarded import evaluate

    scope = Scope(body=read_json("--data", data), vars=read_object("--vars", variables))
    try:
        program = compile_cel(expression)
    except CelError as error:
        return _failed("compile", error, expression, as_json)
    if program.words.surroundings:
        scope = _in_project(scope, env_file)
    try:
        value = evaluate(program, scope)
    except CelError as error:
        hint = "the message is empty: --data JSON gives one" if data == "{}" and "body" in expression else ""
        return _failed("eval", error, expression, as_json, hint)
    if as_json:
        print_json({"ok": True, "result": value})
    else:
        say(as_text(value))
    return EXIT_OK


@flow_app.command("invoke")
def invoke_command(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The flow's name.")],
    data: Data = "{}",
    variables: Vars = "{}",
    model: Annotated[
        str | None, typer.Option("--model", help="Who plays agents: provider/model, scripted:FILE.json.", metavar="M")
    ] = None,
    timeout: Annotated[float, typer.Option("--timeout", help="Seconds that it may take.", metavar="SECONDS")] = 30.0,
    user: Annotated[
        Path | None, typer.Option("--user", help='The end user, in vars.user: {"id": …, "data": {…}}.', metavar="FILE")
    ] = None,
    env_file: EnvFile = None,
    as_json: AsJson = False,
) -> int:
    """Call a flow with a message, and print the body that comes of it."""
    from lua_cli.commands.session import build, note, print_json, project, say
    from lua_cli.flows.json_text import as_text
    from lua_cli.runtime.flows.invoking import invoke_flow
    from lua_cli.runtime.state import read_user

    body, given = read_json("--data", data), read_object("--vars", variables)
    if user is not None and "user" in given:
        raise UsageError("--user becomes the variable `user`, which --vars has as well", hint="leave one of them out")
    who = read_user(user) if user is not None else None
    given |= {"user": {"id": who.id, "data": dict(who.data)}} if who is not None else {}
    if not 0 < timeout <= 86_400:
        raise UsageError(f"--timeout {timeout:g}: seconds must be more than 0, and at most a day", hint="--timeout 30")
    target = project()
    if target.has_python and target.flows is not None:
        build(target)  # flows may call Python tools
    result = invoke_flow(target, name, body, given, model=model, timeout=timeout, env_file=env_file)
    if as_json:
        print_json(result.document())
        return _code(result)
    for line in result.logs:
        note(f"{line.level}: {line.text}")
    if result.error is not None:
        note(f"flow error in {result.error.address or name}: {result.error.message}")
        cause = result.error.__cause__
        if isinstance(cause, LuaError) and cause.hint:
            note(f"hint: {cause.hint}")
    elif result.dropped:
        note("the message was dropped")
    else:
        say(as_text(result.body))
    return _code(result)


def _code(result: Invoked) -> int:
    """0; of a failure 1, or that of the provider's or the network's error behind it."""
    if result.error is None:
        return EXIT_OK
    cause = result.error.__cause__
    return cause.exit_code if isinstance(cause, LuaError) else EXIT_FINDINGS


def _in_project(scope: Scope, env_file: Path | None) -> Scope:
    """The scope with the variables and the templates of the project's flows, where this is one with flows."""
    from lua_cli.commands.session import note, project
    from lua_cli.runtime.flows.around import Around
    from lua_cli.runtime.flows.engine import Engine
    from lua_cli.runtime.flows.message import Message
    from lua_cli.runtime.flows.opening import of_project

    try:
        flows, values = of_project(project(), env_file=env_file, complete=False)
    except LuaError as problem:
        note(f"without the variables and templates of flows: {problem.message}")
        return scope
    return Engine(flows, Around(env=values)).scope(Message(scope.body, dict(scope.vars), "", ""))


def _failed(kind: str, error: CelError, expression: str, as_json: bool, hint: str = "") -> int:
    from lua_cli.commands.session import note, print_json, sign_of_failure

    place = {"line": error.line, "column": error.column} if error.line else {}
    if as_json:
        print_json({"ok": False, "error": {"type": kind, "message": error.message, **place}})
    else:
        where = f" at {error.line}:{error.column}" if place else ""
        note(f"{sign_of_failure()} {kind} error{where}: {error.message}")
        lines = expression.split("\n")
        if 0 < error.line <= len(lines):
            note(f"  {lines[error.line - 1]}\n  {' ' * (error.column - 1)}^")
        if hint:
            note(f"  hint: {hint}")
    return EXIT_FINDINGS


def read_object(flag: str, given: str) -> dict[str, Any]:
    """The JSON object of a flag. Raises UsageError."""
    value = read_json(flag, given)
    if not isinstance(value, dict):
        raise UsageError(f"{flag} must be a JSON object", hint=f'{flag} \'{{"name": "value"}}\'')
    return value


def read_json(flag: str, given: str) -> Any:
    """The JSON value of a flag: itself, of a file, or of stdin. Raises UsageError."""
    from lua_cli.runtime.request import MAX_BYTES, InputError, read_input

    source: str | bytes = given
    if given == "-":
        source = sys.stdin.buffer.read(MAX_BYTES + 1)
    elif given.startswith("@"):
        try:
            with Path(given[1:]).open("rb") as file:
                source = file.read(MAX_BYTES + 1)
        except FileNotFoundError:
            raise NotFoundError(f"{flag}: no such file {given[1:]}", hint=f"{flag} @FILE names a JSON file") from None
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise UsageError(f"{flag}: cannot read {given[1:]}: {reason}", hint=f"{flag} '{{…}}'") from error
    try:
        return read_input(source)
    except InputError as error:
        words = error.message.replace("the input", "it", 1)
        raise UsageError(
            f"{flag}: {words}", hint=f'{flag} takes JSON, as in {flag} \'{{"orderId": "A-100"}}\''
        ) from None
