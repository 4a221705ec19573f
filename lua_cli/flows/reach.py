"""Which files flows need. In: all flows, those to begin with. Out: paths of YAML files and resources, and variables.

A file is taken whole: what any of its flows mentions comes along, so that the files taken load by themselves.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lua_cli.flows.disk import SUFFIXES
from lua_cli.flows.model import PYTHON, Flow, Flows, Variable
from lua_cli.records import record


@record(frozen=True)
class Reach:
    """What flows need: YAML files, resources, variables, Python tools. All sorted. `begins` are the files that they
    are in themselves.
    """

    begins: frozenset[str]

    files: tuple[str, ...]
    documents: tuple[str, ...]
    variables: tuple[Variable, ...]
    python: tuple[str, ...]


def reach_of(flows: Flows, *begin: Flow) -> Reach:
    """The reach of some flows."""
    files: set[str] = set()
    begins = frozenset(flow.place.path for flow in begin)
    pending = sorted(begins)
    while pending:
        file = pending.pop()
        if file not in files:
            files.add(file)
            pending.extend(_mentioned(flows, file))
    inside = [one for one in flows.flows.values() if one.place.path in files]
    python = {block.values["tool"] for one in inside for block in one.blocks() if block.type == PYTHON}
    return Reach(
        begins,
        tuple(sorted(files)),
        tuple(sorted({r.path for r in flows.resources.values() if r.place.path in files})),
        tuple(v for _, v in sorted(flows.env.items()) if v.place.path in files),
        tuple(sorted(python)),
    )


def _mentioned(flows: Flows, file: str) -> Iterator[str]:
    """The files that hold what this file, or a resource that it declares, mentions by name. Names are looked for as
    words: one too many only takes a file along.
    """
    texts = [flows.files[file]]
    texts += [flows.files.get(r.path, "") for r in flows.resources.values() if r.place.path == file]
    for known in (flows.flows, flows.connectors, flows.resources, flows.env):
        for name, value in known.items():
            if value.place.path != file and any(_is_word(name, text) for text in texts):
                yield value.place.path


def _is_word(name: str, text: str) -> bool:
    return name in text and re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text) is not None


def is_yaml(path: str) -> bool:
    """Whether a path is one of a file of flows."""
    return path.endswith(SUFFIXES)
