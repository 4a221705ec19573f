"""How a compile is shown, and the short way of a plain one: `lua compile` without more than a format answers without
the typer application, whose import of pydantic alone costs ten times a bare Python.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from lua_cli.errors import EXIT_FINDINGS, EXIT_OK

if TYPE_CHECKING:
    from pathlib import Path

    from lua_cli.project import Project
    from lua_cli.source.beside import Beside


def answer_plainly(args: list[str]) -> int | None:
    """The exit code of `lua compile [--check] [--strict] [--json]`; None for every other command line."""
    from lua_cli.commands.at_once import compile_format

    check = "--check" in args
    chosen = compile_format([word for word in args[1:] if word != "--check"]) if args[:1] == ["compile"] else None
    if chosen is None:
        return None
    from lua_cli.commands.session import current, progress, project

    beside = _begin_reading()
    try:
        from lua_cli.pipeline import remembered

        target = project()
        compiled = None if check else remembered(target, ci=current().ci)
        if compiled is None:
            from lua_cli.pipeline import compile_anew

            report = progress()
            try:
                compiled = compile_anew(
                    target, until="bundling" if check else "artifacts", ci=current().ci, progress=report, beside=beside
                )
            finally:
                report("")
    finally:
        if beside is not None:
            beside.end()
    if compiled.ok and not check:
        show_and_keep(target, compiled.document, chosen)
    else:
        show(target, compiled.document, chosen)
    return exit_code(compiled.document, strict="--strict" in args)


def _begin_reading() -> Beside | None:
    """A process that will read sources, begun while this one still looks at what there is: where nothing was kept of a
    project, all of it will have to be read.
    """
    from lua_cli.commands.session import current
    from lua_cli.pipeline.at_once import root_above

    named = current().project
    root = str(named) if named is not None else root_above(os.getcwd())  # noqa: PTH109
    if root is None or os.path.exists(os.path.join(root, ".lua", "cache", "facts.bin")):  # noqa: PTH110, PTH118
        return None
    from lua_cli.source.beside import Beside, can_begin

    return Beside() if can_begin() else None


def exit_code(document: Mapping[str, Any], *, strict: bool) -> int:
    """1 with errors, and with warnings when `strict`."""
    return EXIT_FINDINGS if not document["ok"] or (strict and document["diagnostics"]) else EXIT_OK


def show(target: Project, document: Mapping[str, Any], chosen: str) -> None:
    """Print the document of a compile in a format: on stdout, the whole of it."""
    from lua_cli.commands.session import print_json

    if chosen == "json":
        print_json(document)
        return
    sys.stdout.write(_shown(target.root, document, chosen))


def show_and_keep(target: Project, document: Mapping[str, Any], chosen: str) -> None:
    """Print the document of a whole compile, as text or JSON, and remember what was said for the next time."""
    from lua_cli.commands.at_once import answer_name
    from lua_cli.commands.session import facts_of_stdout
    from lua_cli.packed import Packed
    from lua_cli.pipeline.keeping import keep_answer

    facts = facts_of_stdout()
    if facts["encoding"].lower() != "utf-8":
        show(target, document, chosen)
        return
    said = Packed.of_parts(_said(target.root, document, chosen))
    sys.stdout.flush()
    keep_answer(target, answer_name(chosen, colour=facts["colour"]), said, document)


def _said(root: Path, document: Mapping[str, Any], chosen: str) -> Iterator[bytes]:
    """What is printed, as it is printed."""
    from lua_cli.commands.json_text import json_pieces

    for piece in json_pieces(document) if chosen == "json" else (_shown(root, document, chosen),):
        sys.stdout.write(piece)
        yield piece.encode("utf-8", "surrogatepass")


def shown_as(root: Path, document: Mapping[str, Any], chosen: str) -> str:
    """What is printed of a document, as text or JSON."""
    from lua_cli.commands.json_text import json_text

    return json_text(document) if chosen == "json" else _shown(root, document, chosen)


def _shown(root: Path, document: Mapping[str, Any], chosen: str) -> str:
    from lua_cli.commands.built import built_text
    from lua_cli.commands.session import facts_of_stdout
    from lua_cli.report import render

    built = built_text(document) if chosen == "text" else ""
    return built + render(document, chosen, root=root, prefix=_in_repository(root), **facts_of_stdout())


def _in_repository(root: Path) -> str:
    """The project's folder as GitHub needs it in annotations: from the root of the checkout; "" outside of a
    workflow."""
    from pathlib import Path

    workspace = os.environ.get("GITHUB_WORKSPACE")
    try:
        inside = root.relative_to(Path(workspace).absolute()).as_posix() if workspace else "."
    except ValueError:
        return ""
    return "" if inside == "." else inside
