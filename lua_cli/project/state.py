"""lua.skill.toml: what the CLI remembers of registries, for the people and the tools that read it.

In: the project's folder. Out: a `State`. Never a source of truth: the registry is asked, and a file that is missing
or damaged is made anew from its answers. Written whole or not at all, under a lock, and only when something changed.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from lua_cli.project.replacing import replace_file
from lua_cli.records import field, record

STATE_FILE = "lua.skill.toml"
_HEADER = "# Written by lua-cli, made anew from the registry when it is gone. Nothing here is secret.\n\n"


@record(frozen=True)
class SkillState:
    """A skill as this project last pushed it: its id in the registry, the version and the digest."""

    id: str
    version: str
    digest: str


@record(frozen=True)
class RegistryState:
    """One registry that the project was pushed to: the agent's id there, and the skills by name. `named`: somebody
    said --agent, it is not only the agent of the key.
    """

    agent: str
    skills: Mapping[str, SkillState] = field(default_factory=dict)
    named: bool = False


@record(frozen=True)
class State:
    """The whole file.

    registry    key of the registry that was used last ("embedded", or an address)
    registries  by key
    damaged     why the file could not be used; "" when it was fine or is not there
    """

    registry: str = ""
    registries: Mapping[str, RegistryState] = field(default_factory=dict)
    damaged: str = ""

    def with_skills(self, registry: str, agent: str, skills: Mapping[str, SkillState], *, named: bool = False) -> State:
        """This state after `skills` were pushed to an agent. Another agent than before starts anew."""
        before = self.registries.get(registry)
        same = before if before and before.agent == agent else RegistryState(agent)
        entry = RegistryState(agent, {**same.skills, **skills}, named or same.named)
        return State(registry, {**self.registries, registry: entry})


def read_state(root: Path) -> State:
    """The state of the project at `root`. Whatever is wrong with the file, the answer is a state (`damaged` says
    why).
    """
    path = root / STATE_FILE
    try:
        document = tomllib.loads(path.read_bytes().decode("utf-8"))
        return _state(document)
    except FileNotFoundError:
        return State()
    except UnicodeDecodeError as error:
        return State(damaged=f"not UTF-8 (byte {error.start})")
    except tomllib.TOMLDecodeError as error:
        return State(damaged=f"not valid TOML: {error}")
    except (KeyError, TypeError, AttributeError, RecursionError):
        return State(damaged="not in the form that lua-cli writes")
    except OSError as error:
        return State(damaged=error.strerror or str(error))


def update_state(root: Path, change: Callable[[State], State], alone: AbstractContextManager[object]) -> bool:
    """Replace the state by `change` of it, while `alone` keeps others out who do the same; gives whether the file
    changed.

    Raises OSError where the file cannot be written; it is then as it was.
    """
    with alone:
        content = _text(change(read_state(root))).encode("utf-8")
        path = Path(
            os.path.realpath(root / STATE_FILE)
        )  # a link stays one; one that leads to itself is an OSError below
        if path.is_file() and path.read_bytes() == content:
            return False
        replace_file(path, content)
        return True


def settled(root: Path, change: Callable[[State], State]) -> bytes | None:
    """The content of the file where `change` leaves it as it is; None where it is not there or would be another."""
    try:
        content = (root / STATE_FILE).read_bytes()
    except OSError:
        return None
    return content if _text(change(read_state(root))).encode("utf-8") == content else None


def _state(document: Mapping[str, Any]) -> State:
    registries = {}
    for key, entry in document.get("registries", {}).items():
        skills = {
            name: SkillState(_str(skill["id"]), _str(skill["version"]), _str(skill["digest"]))
            for name, skill in entry.get("skills", {}).items()
        }
        registries[key] = RegistryState(_str(entry["agent"]), skills, entry.get("named") is True)
    return State(_str(document.get("registry", "")), registries)


def _str(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _text(state: State) -> str:
    import tomli_w

    registries = {
        key: {
            "agent": entry.agent,
            **({"named": True} if entry.named else {}),
            "skills": {
                name: {"id": skill.id, "version": skill.version, "digest": skill.digest}
                for name, skill in sorted(entry.skills.items())
            },
        }
        for key, entry in sorted(state.registries.items())
    }
    return _HEADER + tomli_w.dumps({"registry": state.registry, "registries": registries})
