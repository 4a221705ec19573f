"""A build of a project of which only bodies of functions were edited since, and none that decided anything. In: where
the project is, its record, the files whose content changed. Out: the `Applied` that a whole compile would give, or
None: then only that can tell.

What decided the last build is known by its record (unchanged.py) and the outlines of its sources (outlines.py). When
all that differs is the content of sources whose outlines are the same, the analysis, the rules and the schemas would
say the same again; places move with the lines, and the artifacts that hold the sources get their new bytes. Whatever
is odd means None. Writes the build, the record and the outlines; runs nothing of the user's. Paths are texts here:
`pathlib` costs more to load than all this takes.
"""

from __future__ import annotations

import os

from lua_cli.bundle.archive import MAX_ARCHIVE, MAX_FILE, read_archive, write_archive
from lua_cli.bundle.canonical import MANIFEST_NAME, digest_of, manifest_bytes
from lua_cli.bundle.disk import read_whole
from lua_cli.bundle.document import Document
from lua_cli.bundle.exclusive import locked
from lua_cli.bundle.publishing import current, publish
from lua_cli.digests import sha256_hex
from lua_cli.errors import LuaError
from lua_cli.pipeline.edited_lines import Edited, edited_body, reads_as
from lua_cli.pipeline.moving import MovedError, moved_manifest, moved_parts
from lua_cli.pipeline.outlines import Kept, Outlines
from lua_cli.pipeline.stamps import RECORD, now_on_disk, replace_cached
from lua_cli.plain_json import dumps, loads

TYPE_CHECKING = False  # what type checkers take for true; `typing` is not imported for it
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from lua_cli.pipeline.moving import Moved
    from lua_cli.pipeline.rejudged import Reworded

_MOST = 30  # more edited files than this are judged as fast by the long way


class Applied:
    """A build that was brought up to date.

    document  what the build says of itself; `before` is what the last one did
    entries   what the document of the build says of its artifacts, in order
    folder    where it lies · `left` is where the last one lies
    edited    the sources
    """

    __slots__ = ("before", "document", "edited", "entries", "folder", "left")

    def __init__(
        self, before: Document, document: Document, entries: list[dict[str, Any]], folder: str, left: str,
        edited: list[Edited],
    ) -> None:  # fmt: skip
        self.before, self.document, self.entries = before, document, entries
        self.folder, self.left, self.edited = folder, left, edited

    def answer(self) -> dict[str, Any]:
        """What `lua compile --format json` prints."""
        return {name: part for name, part in self.document.whole().items() if name != "artifacts"}


def apply(root: str, content: bytes, record: Mapping[str, Any], changed: Sequence[str]) -> Applied | None:
    """The build brought up to date, when that is all that has to be done. `content` is the record as it lies on the
    disk, `changed` are paths of files.
    """
    try:
        return _Applying(root, content, record).apply(changed)
    except (OSError, ValueError, LookupError, TypeError, AttributeError, SyntaxError, MovedError, LuaError):
        return None  # a source that is none, a cache that is damaged: the long way finds words for it


class _Applying:
    """One edit of a project."""

    def __init__(self, root: str, content: bytes, record: Mapping[str, Any]) -> None:
        self._root, self._output = root, os.path.join(root, ".lua")
        self._cache = os.path.join(self._output, "cache")
        self._record_bytes, self._record = content, record
        self._artifacts: dict[str, _Artifact] = {}

    def apply(self, changed: Sequence[str]) -> Applied | None:
        folder = current(self._output)
        if folder is None or not 0 < len(changed) <= _MOST:
            return None
        content = read_whole(os.path.join(folder, MANIFEST_NAME))
        kept = Outlines(self._cache).load(self._record_bytes, content)
        if kept is None or not kept.about["readable"]:
            return None
        before = Document(content)
        entries, real = before["artifacts"], os.path.realpath(folder)
        self._artifacts = {one["skill"]: _Artifact(folder, one) for one in entries}
        if not all(os.path.join(real, one["file"]) in self._record["files"] for one in entries):
            return None  # two compiles at once may write one build and the record of the other
        edited: list[Edited] = []
        for path in changed:
            one = self._edited(path, kept)
            if one is None:
                return None
            edited.append(one)
        moves = {one.shown: one.moved for one in edited}
        parts, kept = moved_parts(before, moves), kept.with_rows({one.shown: one.row for one in edited})
        reworded = self._reworded(kept, edited)
        if reworded is not None:
            parts |= reworded.parts(before, parts)
        sealed = self._seal(edited, moves, kept.about["budget"], reworded)
        digests = {skill: digest_of(new) for skill, new in sealed.items()}
        parts["skills"] = [
            {**one, "digest": digests[one["name"]]} if one["digest"] and one["name"] in digests else one
            for one in parts.get("skills", before["skills"])
        ]
        entries = [_entry(one, sealed.get(one["skill"]), digests) for one in entries]
        document = before.with_parts({**parts, "artifacts": entries})
        content = document.content()
        new_folder = self._publish(folder, content, entries, sealed)
        self._remember(kept, edited, folder, new_folder, entries, content)
        return Applied(before, document, entries, new_folder, folder, edited)

    def _edited(self, path: str, kept: Kept) -> Edited | None:
        """A source whose outline is what it was; None for anything else."""
        shown = _below(self._root, path)
        row = kept.row(shown) if shown is not None else None
        if shown is None or row is None or os.path.realpath(path) != path or not os.path.isfile(path):
            return None  # a link, or what would be waited for, as a pipe is
        stat = os.stat(path)
        content = read_whole(path)
        facts = [stat.st_mtime_ns, stat.st_ctime_ns, stat.st_size, sha256_hex(content)]
        if not reads_as(content, kept.about["oldest"]):
            return None
        before = self._before(row)
        if before is not None and row.get("words"):
            from lua_cli.pipeline.edited_words import edited_words

            worded = edited_words(before, content, row)
            if worded is not None:
                return Edited(shown, content, facts, *worded)
        found = edited_body(before, content, row) if before is not None else None
        if found is None:
            from lua_cli.pipeline.bodies import same_outline

            found = same_outline(content, row)
        if found is None:
            return None
        new, moved = found
        if row.get("words") and row["since"] is None and not moved.is_still:
            new = {**new, "since": row["blanks"]}  # from now on, the places in the table of words are others
        return Edited(shown, content, facts, new, moved)

    def _before(self, row: Mapping[str, Any]) -> bytes | None:
        """The source as it was bundled, when it was."""
        for skill, member in row["members"]:
            return self._artifacts[skill].files[member]
        return None

    def _reworded(self, kept: Kept, edited: Sequence[Edited]) -> Reworded | None:
        """The project with its new words; None where none has changed."""
        words = {one.shown: one.words for one in edited if one.words}
        if not words:
            return None
        from lua_cli.pipeline.rejudged import Reworded

        return Reworded(self._root, Outlines(self._cache).table(kept), kept, words)

    def _seal(
        self, edited: Sequence[Edited], moves: Mapping[str, Moved], budget: int, reworded: Reworded | None
    ) -> dict[str, bytes]:
        """The artifacts that hold an edited source, anew."""
        new: dict[str, dict[str, bytes]] = {}
        for one in edited:
            for skill, member in one.row["members"]:
                new.setdefault(skill, {})[member] = one.content.replace(b"\r\n", b"\n")
        if reworded is not None and not reworded.skills() <= new.keys():
            raise MovedError  # an artifact without the source of its tool's name: only the long way knows why
        return {skill: self._artifacts[skill].with_files(f, moves, budget, reworded) for skill, f in new.items()}

    def _publish(
        self, folder: str, document: bytes, entries: Sequence[Mapping[str, Any]], sealed: Mapping[str, bytes]
    ) -> str:
        files: dict[str, bytes | str] = {
            one["file"]: sealed.get(one["skill"], os.path.join(folder, one["file"])) for one in entries
        }
        with locked(os.path.join(self._output, "lock")) as alone:
            new = publish(self._output, {**files, MANIFEST_NAME: document}, alone=alone)
        if new is None:
            raise OSError(self._output)
        return new

    def _remember(
        self, kept: Kept, edited: Sequence[Edited], left: str, folder: str, entries: Sequence[Mapping[str, Any]],
        document: bytes,
    ) -> None:  # fmt: skip
        """Amend the record and the rows."""
        real, gone = os.path.realpath(folder), os.path.realpath(left) + os.sep
        files = {path: facts for path, facts in self._record["files"].items() if not path.startswith(gone)}
        files |= {os.path.join(self._root, *one.shown.split("/")): one.facts for one in edited}
        for one in entries:
            stat = os.stat(os.path.join(real, one["file"]))
            digest = one["digest"].partition(":")[2]
            files[os.path.join(real, one["file"])] = [stat.st_mtime_ns, stat.st_ctime_ns, stat.st_size, digest]
        record = {**self._record, "files": files, "written": now_on_disk(self._cache)}
        content = dumps(record, compact=True).encode()
        replace_cached(os.path.join(self._cache, RECORD), content)
        Outlines(self._cache).keep(kept, content, [document])


class _Artifact:
    """An artifact of the last build, opened when it is asked for what is in it."""

    def __init__(self, folder: str, entry: Mapping[str, Any]) -> None:
        self.path, self._digest = os.path.join(folder, entry["file"]), entry["digest"]
        self._files: dict[str, bytes] | None = None
        self._manifest: dict[str, Any] = {}

    @property
    def files(self) -> dict[str, bytes]:
        """Its members without the manifest. Raises ValueError where they are not what was built."""
        if self._files is None:
            content = read_whole(self.path)
            if digest_of(content) != self._digest:
                raise ValueError(self.path)
            files = read_archive(content)
            self._manifest = loads(files.pop(MANIFEST_NAME))
            self._files = files
        return self._files

    def with_files(
        self, new: Mapping[str, bytes], moves: Mapping[str, Moved], budget: int, reworded: Reworded | None
    ) -> bytes:
        """Its bytes with other contents of some of its sources. Raises MovedError where that is not all."""
        files = {name: new.get(name, content) for name, content in self.files.items()}
        before, after = (sum(map(len, one.values())) for one in (self.files, files))
        if (
            max(before, after) > budget
            or not new.keys() <= files.keys()
            or any(len(content) > MAX_FILE for content in new.values())
        ):
            raise MovedError
        manifest = moved_manifest(self._manifest, moves)
        if reworded is not None:
            manifest["tools"] = reworded.manifest_tools(manifest["tools"])
        manifest["files"] = [
            {**one, "sha256": sha256_hex(new[one["path"]]), "size": len(new[one["path"]])}
            if one["path"] in new
            else one
            for one in manifest["files"]
        ]
        archive = write_archive([(MANIFEST_NAME, manifest_bytes(manifest)), *sorted(files.items())])
        if len(archive) > MAX_ARCHIVE:
            raise MovedError
        return archive


def _entry(one: dict[str, Any], content: bytes | None, digests: Mapping[str, str]) -> dict[str, Any]:
    return one if content is None else {**one, "digest": digests[one["skill"]], "size": len(content)}


def _below(root: str, path: str) -> str | None:
    """A path in the project as it is shown; None for one elsewhere."""
    return path[len(root) + 1 :].replace(os.sep, "/") if path.startswith(root + os.sep) else None
