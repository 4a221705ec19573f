"""Why things are in an artifact, as text. In: what `bundle.explain_bundle` says of one skill. Out: lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any


def bundle_lines(bundle: Mapping[str, Any]) -> Iterator[str]:
    """The skill, its files, its packages and its variables, each with the reason; an empty line at the end."""
    yield bundle["skill"]
    yield from _columns("files", [(f["path"], f"{f['size']} B", f["reason"]) for f in bundle["files"]])
    packages = [
        (pin, package["reason"], f"pinned from {package['pinnedFrom']}" if package["pinnedFrom"] else "not pinned")
        for package in bundle["packages"]
        for pin in package["pins"] or [package["imports"]]
    ]
    yield from _columns("packages", packages)
    variables = [
        (use["name"], "optional" if use["optional"] else "required", "read by " + ", ".join(use["readBy"]))
        for use in bundle["env"]
    ]
    yield from _columns("environment", variables)
    if bundle["lock"]:
        yield f"  lock file    {bundle['lock']['file']}"
    if bundle["python"]:
        yield f"  python       {bundle['python']}"
    yield ""


def _columns(title: str, rows: list[tuple[str, str, str]]) -> Iterator[str]:
    if not rows:
        return
    widths = [max(len(row[column]) for row in rows) for column in range(2)]
    yield f"  {title}"
    for first, second, third in rows:
        yield f"    {first.ljust(widths[0])}  {second.ljust(widths[1])}  {third}".rstrip()
