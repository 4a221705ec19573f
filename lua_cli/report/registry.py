"""Plans, receipts and what a registry holds → lines of text and JSON documents. Pure; commands print them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from lua_cli.errors import LuaError
from lua_cli.registry.changes import Changes, Wording
from lua_cli.registry.execute import Deployed, Pushed, Receipt
from lua_cli.registry.plan import DeployStep, Plan, PushStep
from lua_cli.registry.protocol import Deployment, RegistryPlace, SkillRecord, VersionRecord
from lua_cli.registry.schemas import SchemaChange

DOCUMENT_VERSION = 1
_MARKS = {"breaking": "!", "widening": "+", "wording": "~"}


def plan_lines(plan: Plan) -> list[str]:
    """What would be done, a paragraph a step."""
    return _paragraphs([(step, _headline(step)) for step in plan.steps])


def receipt_lines(receipt: Receipt) -> list[str]:
    """What was done, a paragraph a step."""
    return _paragraphs([(result.step, _done(result)) for result in receipt.results])


def _paragraphs(steps: Sequence[tuple[PushStep | DeployStep, str]]) -> list[str]:
    """Each step's headline and what is to be said of it; what a push said of a skill, its deploy does not say again."""
    lines: list[str] = []
    said: set[tuple[str, str]] = set()
    for step, headline in steps:
        details = [(step.skill, line) for line in _details(step)]
        lines += [headline, *(line for skill, line in details if (skill, line) not in said)]
        said.update(details)
    return lines


def _headline(step: PushStep | DeployStep) -> str:
    if isinstance(step, PushStep):
        artifact = step.artifact
        if step.there:
            return f"{step.skill}: nothing to push, {step.why}"
        move = f"{step.previous} -> {step.version}" if step.previous else step.version
        return (
            f"{step.skill} {move}  would be pushed ({step.why})  {short(artifact.digest)}  {size_text(artifact.size)}"
        )
    if step.action == "unchanged":
        return f"{step.skill}: nothing to deploy, {step.why}"
    return f"{step.skill} {_live_move(step.previous, step.version)}  would go live"


def _done(result: Pushed | Deployed) -> str:
    step = result.step
    if isinstance(result, Pushed):
        if result.action == "unchanged":
            return f"{step.skill}: nothing to push, {result.record.version} has this content"
        move = f"{result.step.previous} -> {result.record.version}" if result.step.previous else result.record.version
        return f"{step.skill} {move}  pushed  {short(result.record.digest)}  {size_text(result.record.size)}"
    if result.action == "unchanged":
        return f"{step.skill}: nothing to deploy, {result.version} is live"
    return f"{step.skill} {_live_move(result.previous, result.version)}  live (entry {result.number})"


def _live_move(previous: str | None, version: str) -> str:
    return f"{previous} -> {version}" if previous else version


def _details(step: PushStep | DeployStep) -> list[str]:
    lines = [f"  {line}" for line in change_lines(step.changes)]
    if step.action != "unchanged":
        lines += [f"  ! {name} is needed and not set {step.missing_at}{_read_at(step, name)}" for name in step.missing]
    if step.lower and isinstance(step, PushStep):
        lines.append(f"  ! {step.version} is lower than {step.previous}")
    return lines


def _read_at(step: PushStep | DeployStep, name: str) -> str:
    """Where a variable is read, as far as the artifact is at hand."""
    reads = step.artifact.manifest["envReads"] if isinstance(step, PushStep) else ()
    place = next((read["place"] for read in reads if read["name"] == name), "")
    return f" (read at {place})" if place else ""


def change_lines(changes: Changes, *, texts: bool = False) -> list[str]:
    """What the model sees that changes: added, removed and changed tools, then the skill's own parts; with `texts` the
    lines of them that differ.
    """
    wording = {(one.tool, one.part): one for one in changes.wording} if texts else {}
    origin = {rename.new: rename for rename in changes.renamed}
    lines = []
    for name in changes.added:
        rename = origin.get(name)
        others = f"; {', '.join(rename.parts)}" if rename and rename.parts else ""
        lines.append(f"+ {name}" + (f"  (looks like {rename.old}, renamed{others})" if rename else ""))
        lines += _word_lines(wording.get((name, "description"))) if rename else []
        lines += _schema_lines(rename.schema if rename else ())
    lines += [f"- {name}" for name in changes.removed]
    for change in changes.changed:
        lines.append(f"~ {change.name} ({', '.join(change.parts)})")
        lines += _word_lines(wording.get((change.name, "description")))
        lines += _schema_lines(change.schema)
    for part in changes.parts:
        tokens = changes.tokens if part == "context" else None
        lines.append(
            f"~ {part} of the skill" + (f" (about {tokens.before} -> {tokens.after} tokens)" if tokens else "")
        )
        lines += _word_lines(wording.get(("", part)))
    return lines


def _word_lines(wording: Wording | None) -> list[str]:
    """The lines of a text that went and came, with one around them."""
    if wording is None:
        return []
    import difflib

    compared = difflib.unified_diff(wording.before.splitlines(), wording.after.splitlines(), n=1, lineterm="")
    shown = list(compared)[2:]  # without the names of files
    return [f"    {line[:1]} {line[1:]}".rstrip() if not line.startswith("@@") else "    ..." for line in shown][1:]


def content_lines(contents: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[str]:
    """Every file that would be sent, and why it is in; of several skills under the name of each."""
    lines = []
    for skill, files in contents.items():
        lines += [f"{skill} has"] if len(contents) > 1 else []
        lines += [f"  {file['path']}  {file['reason']}" for file in files]
    return lines


def plan_document(plan: Plan) -> dict[str, Any]:
    """The plan as JSON data: `--dry-run --json`."""
    return {**_head(plan.place, plan.agent), "dryRun": True, "steps": [_step(step) for step in plan.steps]}


def receipt_document(receipt: Receipt) -> dict[str, Any]:
    """The receipt as JSON data. With a failure `ok` is false, and `steps` holds what was done before it."""
    failure = {"error": error_record(receipt.failure)} if receipt.failure else {}
    return {
        **_head(receipt.place, receipt.agent),
        "ok": receipt.failure is None,
        "dryRun": False,
        "steps": [_result(result) for result in receipt.results],
        **failure,
    }


def error_record(error: LuaError) -> dict[str, Any]:
    return {"type": error.kind.replace("_", "-"), "message": error.message, "hint": error.hint}


def place_record(place: RegistryPlace) -> dict[str, str]:
    return {"kind": place.kind, "where": place.where}


def _head(place: RegistryPlace, agent: str) -> dict[str, Any]:
    return {"version": DOCUMENT_VERSION, "ok": True, "registry": place_record(place), "agent": agent}


def _step(step: PushStep | DeployStep) -> dict[str, Any]:
    common = {
        "action": step.action,
        "skill": step.skill,
        "version": step.version,
        "previous": step.previous,
        "why": step.why,
        "changes": changes_record(step.changes),
        "missingEnv": list(step.missing),
        "lower": step.lower,
    }
    if isinstance(step, PushStep):
        return common | {"digest": step.artifact.digest, "size": step.artifact.size}
    return common


def _result(result: Pushed | Deployed) -> dict[str, Any]:
    record = _step(result.step) | {"action": result.action}
    if isinstance(result, Pushed):
        return record | {
            "version": result.record.version,
            "id": result.skill_id,
            "created": result.record.created,
            "author": result.record.author,
        }
    return record | {"version": result.version, "previous": result.previous, "entry": result.number}


def changes_record(changes: Changes) -> dict[str, Any]:
    tokens = changes.tokens
    return {
        "added": list(changes.added),
        "removed": list(changes.removed),
        "renamed": [
            {
                "from": rename.old,
                "to": rename.new,
                "parts": list(rename.parts),
                "schema": _schema_records(rename.schema),
            }
            for rename in changes.renamed
        ],
        "changed": [
            {
                "tool": change.name,
                "parts": list(change.parts),
                "schema": _schema_records(change.schema),
            }
            for change in changes.changed
        ],
        "skill": list(changes.parts),
        "contextTokens": {"before": tokens.before, "after": tokens.after} if tokens else None,
        "newEnv": list(changes.env),
        "wording": [
            {"tool": one.tool or None, "part": one.part, "before": one.before, "after": one.after}
            for one in changes.wording
        ],
        "breaking": changes.breaking,
    }


def _schema_records(found: Iterable[SchemaChange]) -> list[dict[str, str]]:
    return [{"kind": change.kind, "path": change.path, "message": change.message} for change in found]


def _schema_lines(found: Iterable[SchemaChange]) -> list[str]:
    return [f"  {_MARKS[change.kind]} {change.path or 'the input'} {change.message}" for change in found]


def version_record(record: VersionRecord, live: Deployment | None) -> dict[str, Any]:
    return {
        "version": record.version,
        "digest": record.digest,
        "size": record.size,
        "created": record.created,
        "author": record.author,
        "tools": list(record.tools),
        "live": live is not None and live.version == record.version,
        "yanked": record.yanked,
    }


def versions_document(
    skill: SkillRecord, history: Sequence[Deployment], place: RegistryPlace, agent: str
) -> dict[str, Any]:
    """`lua skills versions NAME --json`: versions newest first, the history oldest first."""
    return {
        **_head(place, agent),
        "skill": skill.name,
        "id": skill.id,
        "live": skill.live.version if skill.live else None,
        "latest": skill.latest.version if skill.latest else None,
        "versions": [version_record(record, skill.live) for record in reversed(skill.versions)],
        "history": [
            {"entry": d.number, "version": d.version, "previous": d.previous, "created": d.created, "author": d.author}
            for d in history
        ],
    }


def version_lines(skill: SkillRecord, history: Sequence[Deployment]) -> list[str]:
    """`lua skills versions NAME`: a table of the versions, newest first, and the history."""
    rows = []
    for record in reversed(skill.versions):
        state = "live" if skill.live and skill.live.version == record.version else "yanked" if record.yanked else ""
        rows.append(
            (record.version, state, record.created, record.author or "-", size_text(record.size), short(record.digest))
        )
    lines = table(("VERSION", "", "PUSHED", "BY", "SIZE", "DIGEST"), rows)
    if history:
        went = [(str(d.number), d.version, d.created, d.author or "-") for d in reversed(history)]
        lines += ["", *table(("ENTRY", "WENT LIVE", "AT", "BY"), went)]
    return lines


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Columns as wide as their widest cell."""
    from lua_cli.report.stream import width

    body = [list(head), *(list(row) for row in rows)]
    widths = [max(width(row[column]) for row in body) for column in range(len(head))]
    return [
        "  ".join(cell + " " * (widths[column] - width(cell)) for column, cell in enumerate(row)).rstrip()
        for row in body
    ]


def short(digest: str) -> str:
    """A digest as people compare it: its first twelve digits."""
    return digest[: len("sha256:") + 12]


def size_text(size: int) -> str:
    return f"{size} B" if size < 1024 else f"{size / 1024:.1f} KiB" if size < 1024**2 else f"{size / 1024**2:.1f} MiB"
