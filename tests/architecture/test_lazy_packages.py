"""A package that gives its parts when they are asked for has no module that goes by the name of one: once it is loaded,
the import system puts the module in the place of the part."""

from __future__ import annotations

import pytest

import lua_cli.analysis
import lua_cli.bundle
import lua_cli.report
import lua_cli.rules
import lua_cli.rules.fixes
import lua_cli.source

PACKAGES = [lua_cli.analysis, lua_cli.bundle, lua_cli.report, lua_cli.rules, lua_cli.rules.fixes, lua_cli.source]


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.__name__)
def test_no_part_goes_by_the_name_of_a_module(package: object) -> None:
    import pkgutil

    modules = {one.name for one in pkgutil.iter_modules(package.__path__)}  # type: ignore[attr-defined]
    assert not modules & set(package.__all__)  # type: ignore[attr-defined]
