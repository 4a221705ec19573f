"""What the probe saw, kept by what decides it. In: a draft. Out: its SkillSeen, or None. Writes below its own folder
only.

The key is the draft's digest, the interpreter with its installed packages, the values of the environment names that
the draft reads (as a hash), and the version of lua-cli. Anything wrong with the cache means that the child looks
again.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from lua_cli._version import __version__
from lua_cli.probe.model import SkillSeen, ToolSeen
from lua_cli.records import as_dict

if TYPE_CHECKING:
    from lua_cli.bundle.model import Draft
    from lua_cli.project import Interpreter


class ProbeCache:
    """One project's cache of what the probe saw."""

    def __init__(self, folder: Path, interpreter: Interpreter, values: Mapping[str, str]) -> None:
        self._folder, self._interpreter, self._values = folder, interpreter, values

    def load(self, draft: Draft) -> SkillSeen | None:
        """What was seen of this very draft, if anything was."""
        try:
            stated, _, body = self._path(draft).read_bytes().partition(b"\n")
            if stated.decode() != hashlib.sha256(body).hexdigest():
                return None
            data = json.loads(body)
            tools = {key: ToolSeen(**tool) for key, tool in data["tools"].items()}
            ran = data["ran"]
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            return None
        return SkillSeen(draft.skill, tools, ran=ran)

    def keep(self, draft: Draft, seen: SkillSeen) -> None:
        """Remember what was seen, in place of what was seen of the same skill before."""
        path = self._path(draft)
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            handle, temporary = tempfile.mkstemp(dir=self._folder)
            data = {"tools": {key: as_dict(tool) for key, tool in seen.tools.items()}, "ran": seen.ran}
            body = json.dumps(data).encode()
            with os.fdopen(handle, "wb") as file:
                file.write(hashlib.sha256(body).hexdigest().encode() + b"\n" + body)
            Path(temporary).replace(path)
            for other in self._folder.glob(path.name.partition("-")[0] + "-*.json"):
                if other != path:
                    other.unlink(missing_ok=True)
        except OSError:
            return  # a cache that cannot be written costs a look the next time, nothing else

    def _path(self, draft: Draft) -> Path:
        values = {name: self._values.get(name) for name in sorted(draft.env)}
        key = hashlib.sha256(json.dumps([__version__, draft.digest(), self._identity, values]).encode()).hexdigest()
        skill = hashlib.sha256(draft.skill.encode("utf-8", "surrogatepass")).hexdigest()
        return self._folder / f"{skill[:12]}-{key[:32]}.json"

    @cached_property
    def _identity(self) -> list[object]:
        """The interpreter and what is installed for it: versions stand in the names of the metadata folders."""
        installed: list[object] = []
        for folder in self._interpreter.packages:
            try:
                names = sorted(name for name in os.listdir(folder) if name.endswith((".dist-info", ".egg-info")))  # noqa: PTH208
                installed.append([str(folder), names, [os.stat(folder / name).st_mtime_ns for name in names]])  # noqa: PTH116
            except OSError:
                installed.append([str(folder)])
        return [str(self._interpreter.executable), list(self._interpreter.version), installed]
