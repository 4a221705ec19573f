"""Options that several commands of the registry share, each said once."""

from __future__ import annotations

from typing import Annotated

import typer

from lua_cli.errors import UsageError

Name = Annotated[str | None, typer.Option("--name", metavar="NAME", help="The skill.")]
Agent = Annotated[str | None, typer.Option("--agent", metavar="ID", help="The agent, where the project does not say.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Print the plan and change nothing.")]
Force = Annotated[bool, typer.Option("--force", help="Ask nothing: go on where a confirmation would be wanted.")]
Format = Annotated[str, typer.Option("--format", metavar="F", help="text or json.")]
AsJson = Annotated[bool, typer.Option("--json", help="The same as --format json.")]


def wants_json(output_format: str, as_json: bool) -> bool:
    """What `--format` and `--json` say together."""
    if output_format not in ("text", "json"):
        raise UsageError(f"unknown format {output_format!r}", hint="one of text, json")
    return as_json or output_format == "json"
