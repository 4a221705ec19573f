"""The shape of the pipe (docs/architecture.md): a stage imports earlier stages only, and only the edge prints, connects or runs."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import lua_cli

PACKAGE = Path(lua_cli.__file__).parent
GROUND = ("_version", "errors", "records", "diagnostics", "digests", "plain_json", "plain_schema", "packed")
ORDER = (
    "sdk", "project", "source", "flows", "analysis", "rules", "bundle", "child", "probe", "registry", "server", "runtime",
    "report", "pipeline", "scaffold", "commands", "main", "__main__",
)  # fmt: skip
PRINTERS = {"commands", "report", "main"}
NETWORK = {"registry", "server", "runtime", "child"}  # child/ closes the network to the probe
NETWORK_MODULES = {
    "httpx",
    "socket",
    "urllib.request",
    "http.client",
    "http.server",
    "requests",
    "ssl",
    "starlette",
    "uvicorn",
}
STARTERS = {"probe", "runtime", "child"}


def sources() -> list[Path]:
    return sorted(p for p in PACKAGE.rglob("*.py") if "_templates" not in p.parts)


def stage(path: Path) -> str:
    part = path.relative_to(PACKAGE).parts[0]
    return part.removesuffix(".py")


def imports(path: Path) -> Iterator[tuple[int, str]]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, (
                f"{path.name}:{node.lineno}: write absolute imports, so that the layer can be read off the line"
            )
            yield node.lineno, node.module or ""
            for alias in node.names:
                if node.module == "lua_cli":
                    yield node.lineno, f"lua_cli.{alias.name}"


@pytest.mark.parametrize("path", sources(), ids=lambda p: str(p.relative_to(PACKAGE)))
def test_a_stage_imports_only_earlier_stages(path: Path) -> None:
    own = stage(path)
    if own == "__init__":
        return
    assert own in GROUND + ORDER, f"{own} is new: give it a place in ORDER and in docs/architecture.md"
    for line, name in imports(path):
        if not name.startswith("lua_cli."):
            continue
        other = name.split(".")[1]
        if other in GROUND and (own not in GROUND or other == "records"):
            continue
        assert own not in GROUND, f"{path.name}:{line}: {own} imports nothing of lua_cli but records"
        if other not in ORDER:
            continue  # a name of the SDK through `from lua_cli import …`
        assert ORDER.index(other) <= ORDER.index(own), (
            f"{path.relative_to(PACKAGE)}:{line}: {own}/ imports {other}/, which comes after it. "
            f"Pass the value in, or move the shared part to an earlier stage."
        )


def test_the_sdk_stands_alone() -> None:
    for path in sorted((PACKAGE / "sdk").rglob("*.py")):
        for line, name in imports(path):
            root = name.split(".")[0]
            assert name.startswith("lua_cli.sdk") or root in __import__("sys").stdlib_module_names, (
                f"sdk/{path.name}:{line} imports {name}: users' tools load the SDK in their own processes; standard library only"
            )


@pytest.mark.parametrize("path", sources(), ids=lambda p: str(p.relative_to(PACKAGE)))
def test_only_the_edge_prints_connects_and_runs(path: Path) -> None:
    own, where = stage(path), path.relative_to(PACKAGE)
    for line, name in imports(path):
        assert own in NETWORK or name not in NETWORK_MODULES, (
            f"{where}:{line}: only {sorted(NETWORK)} use the network, not {own}/"
        )
        assert own in STARTERS or name not in ("subprocess", "multiprocessing"), (
            f"{where}:{line}: user code runs in the children of probe/ and runtime/ alone"
        )
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print":
            assert own in PRINTERS, f"{where}:{node.lineno}: only {sorted(PRINTERS)} print; return the value instead"
        if isinstance(node, ast.Attribute) and node.attr in ("stdout", "stderr") and own not in PRINTERS | STARTERS:
            assert not (isinstance(node.value, ast.Name) and node.value.id == "sys"), (
                f"{where}:{node.lineno}: only {sorted(PRINTERS)} write to the terminal; return the value instead"
            )
