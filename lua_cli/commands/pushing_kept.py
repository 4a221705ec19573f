"""Keeps what a push of an unchanged project to the embedded registry said, for `pushing_ahead.py`.

In: the push, and its receipt. Out: an answer among those of the project, or nothing where one of the things that it
depends on cannot be recognised again. All of them are looked at once more, after it is written down how they are
recognised, so that nothing that changed meanwhile is kept. Prints nothing.
"""

from __future__ import annotations

import os
import sqlite3
import sys
from collections.abc import Collection, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from lua_cli.commands.pushing_ahead import PLACES, places, state_of
from lua_cli.errors import LuaError
from lua_cli.registry.execute import Pushed

if TYPE_CHECKING:
    from pathlib import Path

    from lua_cli.commands.target import Target
    from lua_cli.pipeline import Compiled
    from lua_cli.project import Project
    from lua_cli.registry.execute import Receipt


def keep_push(about: str, project: Project, compiled: Compiled, target: Target, receipt: Receipt) -> None:
    """Remember what the push that goes by `about` (`answer_name`) said, where it found all of its skills in the
    registry."""
    from lua_cli.pipeline.keeping import keep_answer

    if receipt.place.kind != "embedded" or not _is_plain():
        return
    with suppress(LuaError, OSError, ValueError, sqlite3.Error):  # the next push takes the long way, nothing else
        seen = _seen(about, project, target, receipt)
        if seen is not None:
            keep_answer(project, about, seen, compiled.document)


def _is_plain() -> bool:
    """Whether which registry it is depends on nothing but PLACES and the files that `_stamps` names."""
    said = [(os.environ.get(name) or "").strip() for name in PLACES[1:]]
    utf8 = (getattr(sys.stdout, "encoding", None) or "ascii").lower() == "utf-8"
    absolute = all(not value or value.startswith("/") for value in said)
    return os.name == "posix" and utf8 and absolute and bool(os.environ.get("HOME"))


def _seen(about: str, project: Project, target: Target, receipt: Receipt) -> str | None:
    """The text of `Seen`; None where it cannot be vouched for."""
    from lua_cli.commands.target import remembered_as

    as_json = about.endswith("json")
    pushed = [result for result in receipt.results if isinstance(result, Pushed)]
    stamps = _stamps(project, pushed, with_variables=as_json)
    if not pushed or stamps is None or not _looks_the_same(project, pushed):
        return None
    standing = _standing(target, receipt.agent, pushed)
    content, state = remembered_as(project, receipt), state_of(str(project.root))
    if standing is None or state != ascii(content):
        return None
    skills = [f"{result.record.version} {result.step.skill}" for result in pushed]
    head = [about, places(), target.describe(), receipt.place.where, receipt.agent, standing, state]
    lines = [*head, str(len(skills)), str(len(stamps)), *skills, *stamps]
    if any("\n" in line for line in lines):
        return None
    return "\n".join([*lines, _said(target, receipt, as_json=as_json)])


def _stamps(project: Project, pushed: Collection[Pushed], *, with_variables: bool) -> list[str] | None:
    """How what decides is recognised: the build that was pushed, the chosen address, `.env`, and the variables that
    the skills need, which a receipt names in JSON alone."""
    from lua_cli.pipeline.at_once import mark_of
    from lua_cli.pipeline.keeping import file_stamps
    from lua_cli.project.credentials import CREDENTIALS_FILE, config_folder

    files = file_stamps(project.output / "cache", config_folder(os.environ) / CREDENTIALS_FILE, project.root / ".env")
    if files is None:
        return None
    builds = {result.step.artifact.stored.parent for result in pushed}
    links = [f"link {os.path.relpath(build, project.output)} {project.output / 'artifacts'}" for build in builds]
    needed = {name for result in pushed for name in result.step.facts.missing(())} if with_variables else ()
    return [*links, *files, *(f"variable {mark_of(name)} {name}" for name in sorted(needed))]


def _looks_the_same(project: Project, pushed: Collection[Pushed]) -> bool:
    """Whether what was stamped says now what the push was told."""
    from lua_cli.commands.target import known_variables
    from lua_cli.project.credentials import chosen_address

    if chosen_address(os.environ) or not _is_whole(project.root / ".env"):
        return False
    known = known_variables(project)
    return all(result.step.facts.missing(known) == result.step.missing for result in pushed)


def _is_whole(env_file: Path) -> bool:
    """Whether reading the file says nothing: a line that is none is complained of each time."""
    from dotenv.parser import parse_stream

    if not env_file.exists():
        return True
    if not env_file.is_file():
        return False
    with env_file.open(encoding="utf-8") as file:
        return not any(binding.error for binding in parse_stream(file))


def _standing(target: Target, agent: str, pushed: Collection[Pushed]) -> str | None:
    """The digest of the registry while it says of each skill what the receipt does: that the highest version is there,
    has the content, and was not withdrawn."""
    from lua_cli.registry.embedded import EmbeddedRegistry

    if not isinstance(target.registry, EmbeddedRegistry):
        return None
    skills = [(result.step.skill, result.record.version) for result in pushed]
    records, standing = target.registry.standing(agent, skills)
    for record, result in zip(records, pushed, strict=True):
        step, there = result.step, result.record
        plain = step.there == there and step.why == f"{there.version} has this content" and not there.yanked
        if not plain or record is None or record.highest != there or record.id != result.skill_id:
            return None
        if there.digest != step.artifact.digest:
            return None
    return standing


def _said(target: Target, receipt: Receipt, *, as_json: bool) -> str:
    """What `carry_out` prints of such a receipt on stdout."""
    from lua_cli.commands.json_text import json_text
    from lua_cli.report.registry import receipt_document, receipt_lines

    if as_json:
        document: Mapping[str, Any] = receipt_document(receipt) | target.record()
        return json_text(document)
    return "\n".join(receipt_lines(receipt)) + "\n"
