"""The way around a circle of imports. In: the module that is not ready yet, and where a name of it is wanted. Out: the
imports that lead around. Judges nothing.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from lua_cli.diagnostics import Place

if TYPE_CHECKING:
    from lua_cli.rules.judging.context import Context
    from lua_cli.source.model import ImportFact


def way_around(context: Context, wanted: str, wanting: Place) -> tuple[Place, ...]:
    """The imports, each in the file that the one before it leads to, from the module of `wanted` to `wanting` (which is
    the last). Empty when they cannot be followed.
    """
    modules = context.analysis.modules
    start = next((name for name in _prefixes(wanted) if name in modules), None)
    if start is None:
        return ()
    ways: dict[str, tuple[Place, ...]] = {start: ()}
    waiting = deque([start])
    while waiting:
        name = waiting.popleft()
        if modules[name] == wanting.path:
            return (*ways[name], wanting)
        for target, place in _leads_to(context, name):
            if target not in ways:
                ways[target] = (*ways[name], place)
                waiting.append(target)
    return ()


def _leads_to(context: Context, module: str) -> Iterator[tuple[str, Place]]:
    """The project's modules that are imported while a module runs, and where."""
    from lua_cli.source import SourceError

    modules = context.analysis.modules
    location = context.index.entry() if modules[module] == context.analysis.entry else context.index.locate(module)
    try:
        facts = context.index.imports(location) if location is not None else ()
    except SourceError:
        return
    for fact in facts:
        if location is not None and fact.guard in ("", "optional"):
            for target in _targets(fact, module, modules, is_package=location.is_package):
                yield target, fact.place


def _targets(fact: ImportFact, module: str, modules: Mapping[str, str], *, is_package: bool) -> Iterator[str]:
    """What an import runs: the module that it names, or that `from package import module` names, and its packages."""
    base = fact.module
    if fact.level:
        parts = module.split(".")
        parts = parts[: len(parts) - fact.level + is_package]
        base = ".".join([*parts, *([base] if base else [])])
    named = f"{base}.{fact.name}" if fact.name and fact.name != "*" else base
    yield from (name for name in _prefixes(named) if name in modules)


def _prefixes(dotted: str) -> Iterator[str]:
    """`a.b.c`, `a.b`, `a`."""
    while dotted:
        yield dotted
        dotted = dotted.rpartition(".")[0]
