#!/usr/bin/env python3
"""Compares what the abstract import says of the classes of installed packages with a real import of them.

usage: agreement.py --python VENV/bin/python PACKAGE [PACKAGE ...]

Every module of the packages is read, and then imported in a child process of that Python. Compared are, class by class:
the MRO, the abstract members that are left, and the parameters without a default that the constructor asks for. Where
the reading says "not known" (a base that only a run can tell) the class counts as unknown, not as agreeing. Modules
that the child cannot import are left out.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from lua_cli.analysis.class_info import ClassDescriber
from lua_cli.analysis.machine import Machine
from lua_cli.analysis.values import ClassValue, Lazy
from lua_cli.project import open_project
from lua_cli.source import SourceIndex

CHILD = r"""
import importlib, inspect, io, json, sys, contextlib, warnings
warnings.simplefilter("ignore")
out = {}
sink = io.StringIO()
for name in json.load(sys.stdin):
    try:
        with contextlib.redirect_stdout(sink), contextlib.redirect_stderr(sink):
            module = importlib.import_module(name)
    except BaseException as error:
        out[name] = f"{type(error).__name__}: {error}"[:200]
        continue
    classes = {}
    def visit(owner, prefix):
        for key, value in list(vars(owner).items()):
            if isinstance(value, type) and value.__module__ == name and value.__qualname__ == prefix + key:
                dotted = f"{name}.{value.__qualname__}"
                if dotted in classes:
                    continue
                try:
                    made = value.__init__ if "__init__" in dir(value) else None
                    code = inspect.unwrap(made)
                    plain = inspect.isfunction(made) and not hasattr(value, "__pydantic_fields__")
                    params = list(inspect.signature(code).parameters.values())[1:] if plain else None
                    fixed = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
                    required = None if params is None else [p.name for p in params if p.default is p.empty and p.kind
                    not in fixed]
                except (TypeError, ValueError):
                    required = None
                fields = getattr(value, "__pydantic_fields__", None)
                if fields and value.__init__ is __import__("pydantic").BaseModel.__init__:
                    required = [key for key, field in fields.items() if field.is_required()]
                classes[dotted] = {
                    "mro": [f"{c.__module__}.{c.__qualname__}" for c in value.__mro__[:-1]],
                    "abstract": sorted(getattr(value, "__abstractmethods__", ())),
                    "required": required,
                }
                visit(value, value.__qualname__ + ".")
    visit(module, "")
    out[name] = classes
json.dump(out, sys.stdout)
"""


def modules_of(index: SourceIndex, package: str) -> list[str]:
    """The package and every module in it, sorted."""
    found: list[str] = []
    stack = [package]
    while stack:
        name = stack.pop()
        location = index.locate(name)
        if location is None:
            continue
        found.append(name)
        if location.is_package:
            stack.extend(f"{name}.{inner}" for inner in index.finder.names_in(location))
    return sorted(found)


def classes_read(machine: Machine, name: str) -> dict[str, ClassValue]:
    """The classes that a module defines, nested ones included."""
    module = machine.importer.load(name)
    machine.importer.now(module, "__all__")
    out: dict[str, ClassValue] = {}
    stack = [binding.value for binding in module.frame.names.values()]
    while stack:
        value = stack.pop()
        if isinstance(value, Lazy) and not value.text.startswith(f"{name}."):
            continue  # something that it imports
        value = machine.force(value)
        if isinstance(value, ClassValue) and value.module == name and value.dotted not in out and not value.local:
            out[value.dotted] = value
            stack.extend(binding.value for binding in value.namespace.values())
    return out


def is_same(read: str, real: str) -> bool:
    """One class: by name, or moved within its package (some packages write another `__module__` onto their classes)."""
    return read == real or (read.split(".")[0], read.split(".")[-1]) == (real.split(".")[0], real.split(".")[-1])


def shown(dotted: str) -> str:
    return dotted.replace("_collections_abc.", "collections.abc.").replace("_frozen_importlib_external.", "")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", required=True, help="the interpreter that has the packages")
    parser.add_argument("-v", action="store_true", help="list every difference")
    parser.add_argument("packages", nargs="+")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "pyproject.toml").write_text(f"[tool.lua]\npython = {json.dumps(args.python)}\n")
        (root / "agent.py").write_text("")
        return max(compare(root, package, args.python, args.v) for package in args.packages)


def compare(root: Path, package: str, python: str, verbose: bool) -> int:
    index = SourceIndex(open_project(root))
    sys.setrecursionlimit(12_000)
    machine = Machine(index.project, index)
    names = modules_of(index, package)
    started = time.perf_counter()
    read = {name: classes_read(machine, name) for name in names}
    seconds = time.perf_counter() - started
    describer = ClassDescriber(machine)
    lines = sum(index.text(path).count("\n") for path in index.read)
    answer = subprocess.run([python, "-c", CHILD], input=json.dumps(names), capture_output=True, text=True, check=True)
    real: dict[str, Any] = json.loads(answer.stdout)
    count: Counter[str] = Counter()
    for name in names:
        if isinstance(real[name], str):
            count["modules that the child cannot import"] += 1
            continue
        for dotted, facts in real[name].items():
            if "[" in dotted:
                continue
            count["classes"] += 1
            cls = read[name].get(dotted)
            verdict = "missing" if cls is None else judge(cls, facts, describer)
            count[verdict.partition(":")[0]] += 1
            if verbose and verdict not in ("agrees",):
                print(f"  {dotted}: {verdict}")
    agrees, unknown = count["agrees"], count["unknown"]
    print(
        f"{package}: {agrees} of {count['classes']} classes agree, {unknown} unknown, "
        f"{count['classes'] - agrees - unknown} differ; {len(names)} modules, "
        f"{count['modules that the child cannot import']} not importable; read {lines} lines in {seconds:.1f} s"
    )
    return int(count["classes"] != agrees + unknown)


def judge(cls: ClassValue, facts: dict[str, Any], describer: ClassDescriber) -> str:
    if cls.mro is None:
        return f"unknown: {cls.unknown_base.reason if cls.unknown_base else ''}"
    mro = [shown(one.dotted) for one in cls.mro[:-1]]
    # pydantic makes a class of its own for `Model[int]`: what was subscripted follows it in the MRO.
    real = [name for name in facts["mro"] if "[" not in name]
    if len(mro) != len(real) or not all(map(is_same, mro, real)):
        return f"mro: {mro} but {facts['mro']}"
    if cls.abstracts is None:
        return "unknown: its abstract members"
    if sorted(cls.abstracts) != facts["abstract"]:
        return f"abstract: {sorted(cls.abstracts)} but {facts['abstract']}"
    constructor = describer.constructors.of(cls)
    if facts["required"] is not None and constructor.buildable is not None:
        missing = sorted(set(facts["required"]) - set(constructor.required))
        if missing:
            return f"required: {sorted(constructor.required)} but {sorted(facts['required'])}"
    return "agrees"


if __name__ == "__main__":
    raise SystemExit(main())
