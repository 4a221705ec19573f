"""What the child of a tool will import anyway, so that it can begin while the input is checked. In: the tool's entry in
the manifest, the artifact's files. Out: module names. A guess by the text alone: it costs or saves time, nothing else.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

_PYDANTIC = frozenset({"pydantic", "pydantic_core", "annotated_types", "typing_extensions", "typing_inspection"})
_ASYNC = b"async def execute"


def early_modules(tool: Mapping[str, Any], files: Mapping[str, bytes]) -> tuple[str, ...]:
    """The modules to import early. Of libraries none where a file of the artifact has the name of a library's module:
    whose is meant depends on the order then.
    """
    own = ("lua_cli.child.run",)
    if {name.partition("/")[0].removesuffix(".py") for name in files} & (_PYDANTIC | sys.stdlib_module_names):
        return own
    sources = [content for name, content in files.items() if name.endswith(".py")]
    statement = _class_statement(tool, files)
    loops = _ASYNC in statement if b"def execute" in statement else any(_ASYNC in content for content in sources)
    models = any(b"pydantic" in content for content in sources)
    return own + ("asyncio",) * loops + ("pydantic",) * models


def _class_statement(tool: Mapping[str, Any], files: Mapping[str, bytes]) -> bytes:
    """The text of the tool's class, up to the next class; empty when it is not where it should be."""
    path = tool["module"].replace(".", "/")
    source = files.get(f"{path}.py") or files.get(f"{path}/__init__.py") or b""
    name = tool["qualname"].rpartition(".")[2].encode("utf-8")
    return source.partition(b"class " + name)[2].partition(b"\nclass ")[0]
