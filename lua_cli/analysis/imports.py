"""The import system of the abstract import: modules, their members, import statements.

In: import statements and the scope they stand in. Out: modules, executed in Python's own order, and names bound in that
scope. A first-party module runs when it is imported; one of a package or of the standard library only when something in
it matters, and what it imports is then as lazy. What certainly fails is raised where the program catches it, and is a
finding otherwise.
"""

from __future__ import annotations

import difflib
import re
from pathlib import Path
from typing import TYPE_CHECKING

from lua_cli.analysis.definitions import imported
from lua_cli.analysis.effects import docstring, walk
from lua_cli.analysis.externals import known_external
from lua_cli.analysis.scopes import Frame, Raised, either
from lua_cli.analysis.values import (
    Ambiguous,
    Binding,
    Constant,
    FunctionValue,
    Lazy,
    ListValue,
    Maybe,
    ModuleValue,
    Unknown,
    Value,
    Where,
)
from lua_cli.source import ModuleLocation, SourceError, ir

if TYPE_CHECKING:
    from lua_cli.analysis.machine import Machine

MAX_NESTED = 300  # imports in imports; Python's own recursion limit ends well before


class NoModuleError(Exception):
    """An import raises ModuleNotFoundError: `missing` is the module that is not there."""

    def __init__(self, missing: str, parent: ModuleValue | None) -> None:
        super().__init__(missing)
        self.missing = missing
        self.parent = parent


class Importer:
    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.modules: dict[str, ModuleValue] = {}
        self._nested = 0
        self._mirrored: set[tuple[str, str]] = set()
        self._absent: dict[tuple[str, str], bool] = {}
        self._put_off: dict[tuple[str, str], Lazy] = {}

    # Modules

    def load(self, dotted: str) -> ModuleValue:
        """The module, its parents imported first. Raises NoModuleError, and Raised from within modules."""
        parent: ModuleValue | None = None
        name = ""
        for part in dotted.split("."):
            name = f"{name}.{part}" if name else part
            module = self.modules.get(name)
            if module is None:
                location = self.machine.index.locate(name)
                if location is None:
                    raise NoModuleError(name, parent)
                module = self.add(location)
                if not module.lazy:
                    self.execute(module)
                if parent is not None:
                    self._attach(parent, part, module.stead or module)
            parent = module.stead or module
        assert parent is not None  # noqa: S101 (a dotted name has a part)
        return parent

    def add(self, location: ModuleLocation) -> ModuleValue:
        """A module that is there but not executed."""
        path = (
            location.path or (location.portions[0] if location.portions else location.native) or Path(location.dotted)
        )
        frame = Frame("module", path, None, depth=len(self.machine.conditions))  # type: ignore[arg-type]
        module = frame.module = ModuleValue(location.dotted, location, frame)
        if location.path is None and not location.portions:
            module.state, module.open = "done", "it is not written in Python"
        elif location.path is None:
            module.state = "done"
        if not module.lazy:
            self.machine.own_paths.add(path)
        self.modules[location.dotted] = module
        return module

    def execute(self, module: ModuleValue) -> None:
        """Runs the top level of a module, once."""
        if module.state != "new":
            return
        if self._nested >= MAX_NESTED:
            module.state, module.open = "failed", "imports are nested too deeply"
            return
        module.state = "running"
        self._nested += 1
        try:
            facts = self.machine.facts(module)
            module.frame.rebound = dict(facts.rebinds)
            module.frame.docstring = docstring(facts.body)
            self.machine.executor.block(facts.body, module.frame)
        except SourceError as error:
            self._unreadable(module, error)
        except Raised as error:
            module.state, module.failure = "failed", str(error)
            self.modules.pop(module.dotted, None)
            raise
        finally:
            self._nested -= 1
        if module.state == "running":
            module.state = "done"
            if not module.lazy:  # of one that is lazy, what was put off holds its part
                self.machine.index.let_go(module.location)

    def _unreadable(self, module: ModuleValue, error: SourceError) -> None:
        module.state, module.open = "failed", "its source cannot be read"
        if not module.lazy:
            self.machine.find_at("lua/syntax-error", error.place, reason=error.reason, name=module.dotted)

    def _attach(self, parent: ModuleValue, name: str, module: ModuleValue) -> None:
        """A submodule becomes an attribute of its package once it is loaded, whoever loads it."""
        binding = Binding(module, None, "import")
        if parent.lazy:
            parent.frame.names.setdefault(name, binding)
        else:
            self.machine.bind_in(parent.frame, name, binding)

    # Members

    def member(self, module: ModuleValue, name: str) -> Value | None:
        """`module.name` as an expression; None when it certainly is not there. Lazy modules are not run for it."""
        if module.lazy:
            known = known_external(f"{module.dotted}.{name}", self.machine)
            if known is not None:
                return known
            if module.state == "new":
                return Lazy(lambda: self._resolved(module, name), f"{module.dotted}.{name}")
        return self.now(module, name)

    def _resolved(self, module: ModuleValue, name: str) -> Value:
        value = self.now(module, name)
        return value if value is not None else Unknown(f"`{module.dotted}` has no `{name}`")

    def now(self, module: ModuleValue, name: str) -> Value | None:
        """`module.name`, running the module where that was put off. None when it certainly is not there."""
        if module.state == "new":
            try:
                self.execute(module)
            except Raised as error:
                module.open = f"its import fails ({error})"
        if module.stead is not None:
            return self.now(module.stead, name)
        binding = module.frame.names.get(name)
        if binding is not None:
            return binding.value
        special = self.machine.evaluator.module_attribute(module, name)
        if special is not None:
            return special
        if "__getattr__" in module.frame.names and name in module.mirror:
            return self._from_mirror(module, name)
        if module.lazy and module.location.is_package:
            submodule = self._submodule(module, name)
            if submodule is not None:
                return submodule
        if "__getattr__" in module.frame.names:
            return self._from_mirror(module, name)
        reason = module.open or module.frame.star
        if reason:
            return Unknown(f"`{module.dotted}` may have `{name}`: {reason}", taint=not module.lazy)
        if module.state == "running" and module.lazy:
            return Unknown(f"`{module.dotted}` is only partly read")
        return None

    def _from_mirror(self, module: ModuleValue, name: str) -> Value | None:
        """A lazy package repeats for type checkers what its `__getattr__` gives at run time."""
        if "__getattr__" not in module.frame.names:
            return None
        if name not in module.mirror and module.lazy:
            self._read_getattr(module)
        if name not in module.mirror:
            reason = f"`{module.dotted}` makes its attributes in `__getattr__`"
            return Unknown(reason, taint=not module.lazy)
        statement, alias = module.mirror[name]
        if (module.dotted, name) in self._mirrored:
            return None  # it imports it from itself
        self._mirrored.add((module.dotted, name))
        try:
            if isinstance(statement, ir.Import) or alias is None:
                return self.load(statement.dotted if isinstance(statement, ir.Import) else statement.module)
            source = self.load(self.absolute(module, statement.level, statement.module) or "")
            found = self.member(source, alias.name)
            return found if found is not None else self._submodule(source, alias.name)
        except (NoModuleError, Raised) as error:
            return Unknown(f"`{module.dotted}` cannot import `{name}`: {error}", taint=not module.lazy)
        finally:
            self._mirrored.discard((module.dotted, name))

    def _read_getattr(self, module: ModuleValue) -> None:
        """What the `__getattr__` of a package imports, where it imports by name."""
        function = module.frame.names["__getattr__"].value
        if not isinstance(function, FunctionValue):
            return
        try:
            body = self.machine.index.body(function.path, function.node).body
        except SourceError:
            return
        for statement in walk(body):
            if isinstance(statement, ir.FromImport):
                for alias in statement.names:
                    module.mirror.setdefault(alias.name, (statement, alias))

    def _submodule(self, package: ModuleValue, name: str) -> ModuleValue | None:
        if not package.location.is_package:
            return None
        dotted = f"{package.dotted}.{name}"
        if dotted not in self.modules and self.machine.index.locate(dotted) is None:
            return None
        return self.load(dotted)

    # Statements

    def absolute(self, module: ModuleValue, level: int, dotted: str) -> str | None:
        """The absolute name that a relative import means; None beyond the top-level package."""
        if not level:
            return dotted
        package = module.dotted if module.location.is_package else module.dotted.rpartition(".")[0]
        parts = package.split(".") if package else []
        if level > len(parts):
            return None
        base = ".".join(parts[: len(parts) - level + 1])
        return f"{base}.{dotted}" if dotted else base

    def plain(self, node: ir.Import, frame: Frame) -> None:
        """`import a.b [as c]`."""
        where = frame.where(node.span)
        try:
            module = self.load(node.dotted)
        except NoModuleError as error:
            self.machine.fail("ModuleNotFoundError", f"no module named {error.missing!r}")
            bound: Value = self._missing_module(error, where, frame)
            if node.asname is None and "." in node.dotted:
                top = node.dotted.partition(".")[0]
                bound = self.modules.get(top) or bound
        else:
            bound = module if node.asname else self.modules.get(node.dotted.partition(".")[0], module)
        name = node.asname or node.dotted.partition(".")[0]
        self.machine.bind(frame, name, imported(bound, where))

    def from_(self, node: ir.FromImport, frame: Frame) -> None:
        """`from ..a import b [as c], …`."""
        dotted = self.absolute(frame.module, node.level, node.module)
        source: ModuleValue | None = None
        error: NoModuleError | None = None
        if dotted is None:
            self.machine.fail("ImportError", "attempted relative import beyond top-level package")
        else:
            try:
                source = self.load(dotted)
            except NoModuleError as failed:
                error = failed
                self.machine.fail("ModuleNotFoundError", f"no module named {failed.missing!r}")
        missing: Value | None = None
        for alias in node.names:
            where = frame.where(alias.span)
            if source is None:
                value: Value = missing or (
                    self._missing_module(error, where, frame)
                    if error is not None
                    else self._finding(where, frame, node.module, "the relative import leaves the top-level package")
                )
                missing = value  # said once, whatever number of names is asked of it
                if alias.name != "*":
                    self.machine.bind(frame, alias.asname or alias.name, imported(value, where))
                else:
                    frame.star = f"`from {node.module} import *` cannot be followed"
            elif alias.name == "*":
                self._star(source, frame, where)
            else:
                value = self._imported(source, alias.name, frame, where)
                self.machine.bind(frame, alias.asname or alias.name, imported(value, where))

    def _imported(self, source: ModuleValue, name: str, frame: Frame, where: Where) -> Value:
        found = self.member(source, name)
        if isinstance(found, Lazy) and self._must_check(source, name, frame):
            found = self.now(source, name)
        if isinstance(found, Lazy) and source.state == "new" and not frame.module.lazy:
            # Once for all modules that import it before anybody looks: what it is bound to later may be another thing.
            return self._put_off.setdefault((source.dotted, name), found)
        if found is None or (isinstance(found, Unknown) and "__getattr__" in source.frame.names):
            found = self._submodule(source, name) or found
        if found is not None:
            return found
        self.machine.fail("ImportError", f"cannot import name {name!r} from {source.dotted!r}")
        if source.state == "running":
            ahead = self.machine.executor.ahead(source, name)
            reason = f"`{source.dotted}` is still being imported and has not bound it yet: the imports form a circle"
            unknown = self._finding(where, frame, f"{source.dotted}.{name}", reason)
            return ahead or unknown
        near = difflib.get_close_matches(name, [n for n in source.frame.names if not n.startswith("__")], n=1)
        reason = f"`{source.dotted}` has no name `{name}`"
        if source.location.portions and "init.py" in self.machine.index.finder.entries(source.location.portions[0]):
            reason += "; `init.py` looks like a misnamed `__init__.py`"
        return self._finding(where, frame, f"{source.dotted}.{name}", reason, near[0] if near else "")

    def _must_check(self, source: ModuleValue, name: str, frame: Frame) -> bool:
        """Whether a name of a lazy module has to be looked up now: when the program catches its absence, or when the
        text of the
        module does not even hold the word."""
        if self.machine.catches("ImportError"):
            return True
        if frame.module.location.origin != "first-party" or source.location.path is None:
            return False
        key = (source.dotted, name)
        if key not in self._absent:
            try:
                text = self.machine.index.text(source.location.path)
            except SourceError:
                text = name
            self._absent[key] = re.search(rf"\b{re.escape(name)}\b", text) is None
        return self._absent[key]

    def _star(self, source: ModuleValue, frame: Frame, where: Where) -> None:
        if source.lazy:
            self.now(source, "__all__")
            source = source.stead or source
        if source.open or source.frame.star:
            frame.star = f"`from {source.dotted} import *` may bind more: {source.open or source.frame.star}"
        public = [name for name in source.frame.names if not name.startswith("_")]
        exported = self.now(source, "__all__") if "__all__" in source.frame.names else None
        if exported is None:
            for name in public:
                self.machine.bind(frame, name, imported(source.frame.names[name].value, where))
            return
        listed = self.machine.force(exported)
        names, reason = self._names(listed)
        for name in names:
            value = self.now(source, name)
            if value is None:
                value = self._submodule(source, name)
            if value is None:
                self.machine.fail("AttributeError", f"module {source.dotted!r} has no attribute {name!r}")
                reason = f"`{source.dotted}` has no name `{name}`, which its `__all__` lists"
                value = self._finding(where, frame, f"{source.dotted}.{name}", reason)
            self.machine.bind(frame, name, imported(value, where))
        if reason:
            why = f"`__all__` of `{source.dotted}` is not known: {reason}"
            frame.star = why
            for name in public:
                if name not in names:
                    old = frame.names.get(name)
                    new = source.frame.names[name].value
                    value = either([old.value, new], Maybe(why, where)) if old else new
                    self.machine.bind(frame, name, imported(value, where))

    def _names(self, listed: Value) -> tuple[list[str], str]:
        """The names in an `__all__`, and why there may be others."""
        if isinstance(listed, Ambiguous):
            return [], listed.reason
        if isinstance(listed, Constant) and isinstance(listed.value, tuple):
            return [name for name in listed.value if isinstance(name, str)], ""
        if not isinstance(listed, ListValue):
            return [], listed.reason if isinstance(listed, Unknown) else "it is no list"
        names: list[str] = []
        reason = listed.unknown.reason if listed.unknown else ""
        for item in listed.items:
            value = self.machine.force(item.value)
            if isinstance(value, Constant) and isinstance(value.value, str) and item.maybe is None:
                names.append(value.value)
            else:
                reason = reason or "it is computed"
        return names, reason

    # What cannot be imported

    def _missing_module(self, error: NoModuleError, where: Where, frame: Frame) -> Unknown:
        missing, parent = error.missing, error.parent
        last = missing.rpartition(".")[2]
        finder = self.machine.index.finder
        if parent is None:
            near = difflib.get_close_matches(last, finder.top_level(), n=1)
            reason = f"`{missing}` is neither in the project nor installed in its Python"
            return self._finding(where, frame, missing, reason, near[0] if near else "")
        if not parent.location.is_package:
            return self._finding(where, frame, missing, f"`{parent.dotted}` is a module, not a package")
        near = difflib.get_close_matches(last, finder.names_in(parent.location), n=1)
        suggestion = f"{parent.dotted}.{near[0]}" if near else ""
        return self._finding(where, frame, missing, f"`{parent.dotted}` has no module `{last}`", suggestion)

    def _finding(self, where: Where, frame: Frame, name: str, reason: str, suggestion: str = "") -> Unknown:
        if not frame.module.lazy:
            self.machine.find("lua/unresolved-import", where, name=name, reason=reason, suggestion=suggestion)
        return Unknown(f"its import fails: {reason}")
