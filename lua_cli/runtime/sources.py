"""Members of an artifact → the files in the project that they were made of, as the user knows them. In: names, folders.
Out: a mapping that looks on the disk when it is asked: most runs never ask.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path


class SourceNames(Mapping[str, str]):
    """Member → its file, relative to the project. Members that are not there are not in it."""

    def __init__(self, members: Iterable[str], project: Path | None, roots: tuple[Path, ...]) -> None:
        self._members, self._project, self._roots = members, project, roots
        self._known: dict[str, str] | None = None

    def _found(self) -> dict[str, str]:
        if self._known is None:
            names = ((member, self._name(member)) for member in self._members)
            self._known = {member: name for member, name in names if name is not None}
        return self._known

    def _name(self, member: str) -> str | None:
        for root in self._roots:
            path = root / member
            if self._project is not None and path.is_file() and path.is_relative_to(self._project):
                return path.relative_to(self._project).as_posix()
        return None

    def __getitem__(self, member: str) -> str:
        return self._found()[member]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found())

    def __len__(self) -> int:
        return len(self._found())
