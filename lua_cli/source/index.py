"""The modules of one project: found, read and turned into facts, each file once.

In: a `Project`. Out: locations, text, facts, and what modules read (`ImportFact`, `EnvRead`, `DataRead`). Nothing that
is read here is ever imported or run. Texts of first-party files are kept, since diagnostics show them; those of
packages are read again when asked for.
"""

from __future__ import annotations

import ast
import hashlib
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from lua_cli.diagnostics import Place
from lua_cli.packed import Packed
from lua_cli.project import Project
from lua_cli.records import record
from lua_cli.source import ir
from lua_cli.source.decoding import DecodeError, decode
from lua_cli.source.finder import Finder
from lua_cli.source.function_bodies import numbers_at
from lua_cli.source.lowering import lower_body, lower_params
from lua_cli.source.model import (
    ComputedRead,
    DataRead,
    EnvRead,
    ImportFact,
    LocalThing,
    ModuleLocation,
    SourceError,
)
from lua_cli.source.outline import Outline, outline
from lua_cli.source.parsing import ParseError, parse
from lua_cli.source.places import Places
from lua_cli.source.readings import Statements, differing
from lua_cli.source.reads import RawReads
from lua_cli.source.recent import Recent
from lua_cli.source.spans import Span, shown_span
from lua_cli.source.store import Entry, FactsStore, Told, entry_of, facts_in, told_by, told_in, told_of
from lua_cli.source.texts import Texts
from lua_cli.source.variables import Variables

if TYPE_CHECKING:
    from lua_cli.source.beside import Beside


@record
class _File:
    """What is remembered of one file. `told`: what it asks for; b"" where the store has it."""

    path: Path
    facts: ir.ModuleFacts | None = None
    told: Entry | None = None
    error: SourceError | None = None


class SourceIndex:
    """Finds and reads the modules of a project.

    read        every file that was read → the SHA-256 (hex) of its bytes
    whole       files whose text counted as a whole
    looked_into functions whose bodies counted: file → lines of their `def`
    """

    def __init__(
        self, project: Project, store: FactsStore | None = None, beside: Beside | None = None, *, reads: bool = True
    ) -> None:
        """`reads`: whether what modules ask for is read along with their facts: a build asks it of all, a check of
        few."""
        self.project = project
        self.store = store if store is not None else FactsStore(None, "", writes=False)
        self._beside = beside
        if beside is not None:
            self.store.borrow_from(beside.take)
        self._reads_wanted = reads
        self.finder = Finder(project)
        self.read: dict[Path, str] = {}
        self.whole: set[Path] = set()
        self.looked_into: dict[Path, set[int]] = {}
        self._files: dict[Path, _File] = {}
        self._bodies: dict[tuple[Path, Span], ir.FunctionBody] = {}
        self._params: dict[tuple[Path, Span], tuple[ir.Parameter, ...]] = {}
        self._texts = Texts()
        self._ascii: set[Path] = set()
        self._asked: Recent[Path, Told] = Recent()
        self._wholes: dict[str, Path] = {}
        self._lines: Recent[Path | str, list[str]] = Recent()
        self._shown: dict[Path, str] = {}

    def locate(self, dotted: str) -> ModuleLocation | None:
        """Where an import of `dotted` would find the module; None when it would raise ModuleNotFoundError."""
        return self.finder.locate(dotted)

    def entry(self) -> ModuleLocation:
        """The entry file as a module."""
        dotted = self.finder.module_of(self.project.entry) or self.project.entry.stem
        root = next((r for r in self.project.import_roots if self.project.entry.is_relative_to(r)), self.project.root)
        return ModuleLocation(dotted, "first-party", self.project.entry, False, root=root)

    def text(self, path: Path | str) -> str:
        """The decoded text of a file (a path as diagnostics show it is relative to the project). Raises SourceError."""
        whole = path if isinstance(path, Path) else self._whole_path(path)
        text = self._texts.get(whole)
        if text is None:
            text = self._decoded(whole)
            if text.isascii():
                self._ascii.add(whole)
            if self._is_first_party(whole):
                self._texts.add(whole, text)
        return text

    def _whole_path(self, shown: str) -> Path:
        if shown not in self._wholes:
            self._wholes[shown] = self.project.root / shown
        return self._wholes[shown]

    def lines(self, path: Path | str) -> Sequence[str]:
        """The lines of a file, as Python counts them."""
        lines = self._lines.get(path)
        if lines is None:
            lines = self._lines[path] = self.text(path).split("\n")
        return lines

    def held(self, path: Path, content: bytes) -> Packed:
        """Bytes to hold for later: where they are a source as it is held here, that."""
        held = self._texts.packed(path)
        return held if held is not None and held.whole() == content else Packed(content)

    def place(self, path: Path, span: Span) -> Place:
        """The place to show for a span in a file that was read."""
        return Place(self.shown(path), *self._counted(path, span))

    def places(self, path: Path, spans: Mapping[str, Span]) -> Places:
        """The places to show for named spans in a file that was read."""
        return Places(self.shown(path), {name: self._counted(path, span) for name, span in spans.items()})

    def shown(self, path: Path) -> str:
        """A path as it is shown (`Project.relative`): one text for all who ask."""
        shown = self._shown.get(path)
        if shown is None:
            shown = self._shown[path] = self.project.relative(path)
            self._wholes[shown] = path
        return shown

    def _counted(self, path: Path, span: Span) -> Span:
        if path in self._ascii:  # a byte is a character, so there is no need of lines
            line, column, end_line, end_column = span
            return line, column + 1, end_line, end_column + 1
        return shown_span(span, self.lines(path))

    def facts(self, location: ModuleLocation) -> ir.ModuleFacts:
        """The code of the module as facts; empty for one without a source. Raises SourceError."""
        if location.path is None:
            return ir.ModuleFacts((), ())
        file = self._file(location.path, with_reads=location.origin == "first-party")
        if file.error is not None:
            raise file.error
        return file.facts or self._known(file.path, with_reads=False)[0]

    def let_go(self, location: ModuleLocation) -> None:
        """Forget the code of a module, which weighs most of all that is known of it: whoever asks for it again gets it
        out of the store.
        """
        file = self._files.get(location.path) if location.path is not None else None
        if file is not None:
            file.facts = None

    def body(self, path: Path, function: ir.Function) -> ir.FunctionBody:
        """What a function does; `path` is the file whose facts hold it. Raises SourceError."""
        key = (path, function.span)
        if key not in self._bodies:
            self.looked_into.setdefault(path, set()).add(function.span[0])
            self._bodies[key] = lower_body(self.text(path), function.span)
        return self._bodies[key]

    def params(self, path: Path, function: ir.Function) -> tuple[ir.Parameter, ...]:
        """The parameters of a function; `path` is the file whose facts hold it. Raises SourceError."""
        if function.params is not None:
            return function.params
        key = (path, function.span)
        if key not in self._params:
            self._params[key] = lower_params(self.text(path), function)
        return self._params[key]

    def imports(self, location: ModuleLocation) -> tuple[ImportFact, ...]:
        """Every import of the module, also in functions. Raises SourceError."""
        path, raw = self._reads(location)
        return tuple(
            ImportFact(f.kind, f.module, f.name, f.level, self.place(path, f.span), f.guard) for f in raw.imports
        )

    def env_reads(self, location: ModuleLocation) -> tuple[EnvRead, ...]:
        """Every environment variable that the module reads by a literal name. Raises SourceError."""
        path, raw = self._reads(location)
        return tuple(EnvRead(name, self.place(path, span), default, need) for name, span, default, need in raw.env)

    def computed_reads(self, location: ModuleLocation) -> tuple[ComputedRead, ...]:
        """Every environment variable that the module reads by a computed name. Raises SourceError."""
        path, raw = self._reads(location)
        return tuple(
            ComputedRead(text, span, self.place(path, span), default, need)
            for text, span, default, need in raw.computed
        )

    def local_things(self, location: ModuleLocation) -> tuple[LocalThing, ...]:
        """Addresses and paths of this machine in the module. Raises SourceError."""
        path, raw = self._reads(location)
        return tuple(LocalThing(kind, text, self.place(path, span)) for kind, text, span in raw.local)

    def variables(self, locations: Iterable[ModuleLocation]) -> Variables:
        """What tells the names of computed reads: the modules of one skill, parsed again as far as it is needed."""
        paths = {location.dotted: location.path for location in locations if location.path is not None}
        self.whole.update(paths.values())
        texts = {dotted: partial(self.text, path) for dotted, path in paths.items()}
        return Variables({dotted: lru_cache(1)(partial(_parsed, text)) for dotted, text in texts.items()}, texts)

    def data_reads(self, location: ModuleLocation) -> tuple[DataRead, ...]:
        """Every data file that the module names by a literal path. Raises SourceError."""
        path, raw = self._reads(location)
        package = location.dotted if location.is_package else location.dotted.rpartition(".")[0]
        own = ("__name__", "__package__")
        return tuple(
            DataRead(target, package if holder in own else holder, self.place(path, span))
            for target, holder, span in raw.data
        )

    def outline(self, path: Path, run: Iterable[int]) -> tuple[Outline, list[int]] | None:
        """What a first-party file is to those who read it, and who ran the functions at the lines `run`, with the
        numbers of the bodies that count; None where its text counts as a whole."""
        file = self._files.get(path)
        if file is None or file.told is None or file.error is not None or path in self.whole:
            return None
        reads, bodies = self._told(file)
        kept = numbers_at(bodies, self.looked_into.get(path, set()).union(run))
        return outline(self.text(path), bodies, reads, kept), kept

    def _reads(self, location: ModuleLocation) -> tuple[Path, RawReads]:
        if location.path is None:
            return Path(), RawReads()
        file = self._file(location.path, with_reads=True)
        if file.error is not None:
            raise file.error
        return file.path, self._told(file).reads

    def _told(self, file: _File) -> Told:
        """What a file asks for, and where its bodies are. Raises SourceError."""
        told = self._asked.get(file.path)
        if told is None:
            told = told_of(self._told_in(file))
            if told is None:
                text = self.text(file.path)
                told, file.told = told_by(parse(text), text)
            self._asked[file.path] = told
        return told

    def _told_in(self, file: _File) -> Entry:
        """What the store has of it, or what is held here."""
        entry = self._entry(file.path) if file.told == b"" else None
        return told_in(entry) if entry is not None else file.told or b""

    def _file(self, path: Path, *, with_reads: bool) -> _File:
        """Reads a file, once; what it asks for only where that is of interest."""
        if path not in self._files:
            file = self._files[path] = _File(path)
            try:
                file.facts, has_told = self._known(path, with_reads=with_reads and self._reads_wanted)
                file.told = b"" if has_told else None
            except ParseError as error:
                needs = "{}.{}".format(*error.needs) if error.needs else None
                file.error = self._refused(path, error.span, error.message, needs)
            except SourceError as error:
                file.error = error
        return self._files[path]

    def _known(self, path: Path, *, with_reads: bool) -> tuple[ir.ModuleFacts, bool]:
        """The facts of a file, out of the store where it knows them, and whether it knows what the file asks for.
        Raises SourceError, ParseError."""
        text = "" if path in self.read else self.text(path)
        entry = self._entry(path)
        known = facts_in(entry) if entry is not None else None
        if entry is not None and known is not None:
            has_told = bool(told_in(entry))
            if has_told or not with_reads:
                return known, has_told
        known, made = entry_of(text or self.text(path), with_reads=with_reads)
        again = self._beside.hold(made) if self._beside else None
        if again is not None:
            self.store.lend(self.read[path], again)
        else:
            self.store.put(self.read[path], made)
        return known, with_reads

    def _entry(self, path: Path) -> Entry | None:
        """What is known of a file that was read: by the store, or by the process beside."""
        digest = self.read[path]
        entry = self.store.get(digest)
        if entry is None and self._beside:
            entry = self._beside.take(path, digest)
            if entry is not None:
                self.store.lend(digest, path)
        return entry

    def differing(self, statements: Iterable[Statements]) -> Callable[[], Iterator[dict[int, ir.Stmt]]]:
        """libcst's readings of statements that it reads differently, when they are asked for, one module after
        another.
        """
        if self._beside:
            return self._beside.ask(statements)
        held = list(statements)
        return lambda: map(differing, held)

    def agreed(self, path: Path, statements: str) -> bool:
        """Whether it is known that both readers read these statements of the file alike."""
        return self.store.agreed(self.read[path], statements)

    def agree(self, path: Path, statements: str) -> None:
        """Remember that they do."""
        self.store.agree(self.read[path], statements)

    def _decoded(self, path: Path) -> str:
        try:
            if not stat.S_ISREG(os.stat(path).st_mode):  # noqa: PTH116  # reading a pipe would wait for ever
                raise self._refused(path, (1, 1, 1, 2), "the file cannot be read: it is no regular file")
            with open(path, "rb", buffering=0) as file:  # noqa: PTH123  # of a thousand files pathlib's share is seen
                data = file.read()
        except OSError as error:
            raise self._refused(path, (1, 1, 1, 2), f"the file cannot be read: {error.strerror}") from error
        self.read[path] = hashlib.sha256(data).hexdigest()
        try:
            return decode(data)
        except DecodeError as error:
            line = data.count(b"\n", 0, error.offset) + 1
            column = len(data[data.rfind(b"\n", 0, error.offset) + 1 : error.offset].decode("utf-8", "replace")) + 1
            raise self._refused(path, (line, column, line, column + 1), error.message) from error

    def _refused(self, path: Path, place: Span, why: str, needs: str | None = None) -> SourceError:
        return SourceError(Place(self.project.relative(path), *place), why, needs)

    def _is_first_party(self, path: Path) -> bool:
        packages = self.project.interpreter.packages
        return path.is_relative_to(self.project.root) and not any(path.is_relative_to(folder) for folder in packages)


def _parsed(text: Callable[[], str]) -> ast.Module:
    return parse(text())
