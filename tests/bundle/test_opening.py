"""Opening an artifact: what is whole opens, and everything else is refused with the reason and no traceback."""

from __future__ import annotations

import hashlib
import io
import json
import os
import random
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lua_cli.bundle import open_artifact, unpack
from lua_cli.bundle.archive import MAX_FILE, MAX_FILES, total_size, write_archive
from lua_cli.bundle.canonical import manifest_bytes
from lua_cli.bundle.names import MANIFEST_NAME
from lua_cli.errors import LuaError, NotFoundError
from tests.bundle.samples import SCHEMA, artifact, draft, manifest, module

MUTATIONS = int(os.environ.get("LUA_FUZZ", "600"))


def packed(change: Callable[[dict[str, Any]], None] = lambda _m: None, files: dict[str, bytes] | None = None) -> bytes:
    """An artifact of `files` whose manifest was made for them and then changed."""
    members = files if files is not None else {"skills/__init__.py": b"", "skills/tools.py": b"x = 1\n"}
    about = manifest()
    about["files"] = [
        {"path": name, "sha256": hashlib.sha256(content).hexdigest(), "size": len(content), "kind": "module"}
        for name, content in members.items()
    ]
    change(about)
    return write_archive([(MANIFEST_NAME, manifest_bytes(about)), *members.items()])


def refusal(content: bytes) -> str:
    with pytest.raises(LuaError) as caught:
        open_artifact(content)
    assert "\n" not in caught.value.message
    assert caught.value.hint
    return caught.value.message


def test_what_was_sealed_opens(tmp_path: Path) -> None:
    sealed = artifact()
    path = tmp_path / "orders.luapkg"
    path.write_bytes(sealed.content)
    opened = open_artifact(path)
    assert opened.digest == sealed.digest == "sha256:" + hashlib.sha256(sealed.content).hexdigest()
    assert opened.manifest == manifest()
    assert dict(opened.files) == {"skills/__init__.py": b"", "skills/tools.py": b"x = 1\n"}
    assert opened == open_artifact(sealed.content)
    assert opened.skill == "orders"


def test_other_programs_read_the_archive() -> None:
    with zipfile.ZipFile(io.BytesIO(artifact().content)) as archive:
        assert archive.testzip() is None
        members = archive.infolist()
    assert [member.filename for member in members] == ["manifest.json", "skills/__init__.py", "skills/tools.py"]
    assert {member.compress_type for member in members} == {zipfile.ZIP_STORED}
    assert {member.date_time for member in members} == {(1980, 1, 1, 0, 0, 0)}
    assert {member.external_attr >> 16 for member in members} == {0o100644}
    assert {member.create_system for member in members} == {3}


def test_schemas_keep_the_order_of_their_fields() -> None:
    [tool] = open_artifact(artifact().content).manifest["tools"]
    assert list(tool["inputSchema"]["properties"]) == ["number", "city"]
    assert tool["inputSchema"] == SCHEMA
    assert list(tool) == sorted(tool)


def test_without_an_entry_schemas_are_unknown_and_without_a_schema_any_object_is_taken() -> None:
    from lua_cli.bundle import seal

    def input_schema(schemas: dict[str, Any]) -> object:
        return open_artifact(seal(draft(), schemas).content).manifest["tools"][0]["inputSchema"]

    assert input_schema({}) is None
    assert input_schema({"skills.tools:GetOrder": {"inputSchema": None}}) == {"type": "object"}


def test_the_size_is_known_before_the_archive_is_made() -> None:
    files = {"a/é.py": b"abc", "z": b""}
    assert total_size({name: len(data) for name, data in files.items()}) == len(write_archive(files.items()))


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="no artifact at"):
        open_artifact(tmp_path / "missing.luapkg")
    with pytest.raises(LuaError, match="is not a file"):
        open_artifact(tmp_path)
    with pytest.raises(LuaError, match="cannot read"):
        open_artifact("a\x00b")


def zipped(members: list[tuple[zipfile.ZipInfo | str, bytes]], comment: bytes = b"", **options: Any) -> bytes:
    """An archive as another program would make it."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", **options) as archive:
        for info, content in members:
            archive.writestr(info, content)
        archive.comment = comment
    return out.getvalue()


GOOD = packed()


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "not a ZIP archive"),
        (b"PK\x05\x06" + bytes(18), "no members"),
        (b"#!/bin/sh\n", "not a ZIP archive"),
        (GOOD[:-1], "cut off"),
        (GOOD[:40], "cut off"),
        (GOOD + b"x", "bytes after its end"),
        (GOOD + GOOD, "bytes after its end"),
        (GOOD[:-2] + b"\x03\x00abc", "has a comment"),
        (b"x" + GOOD, "not a ZIP archive"),
        (zipped([(zipfile.ZipInfo("manifest.json"), b"{}")], compression=zipfile.ZIP_DEFLATED), "header that lua-cli does not write"),
        (zipped([("manifest.json", b"{}" * 99)], compression=zipfile.ZIP_DEFLATED), "is compressed"),
        (GOOD[:6] + b"\x01\x08" + GOOD[8:], "is encrypted"),
        (GOOD[:6] + b"\x08\x08" + GOOD[8:], "size after its content"),
        (GOOD[:28] + b"\x04\x00" + GOOD[30:], "extra fields"),
        (GOOD[:10] + b"\x01\x00" + GOOD[12:], "not dated 1980-01-01"),
        (GOOD[:60] + b"#" + GOOD[61:], "checksum differs"),
        (write_archive([("manifest.json", b"{}"), ("a", b""), ("a", b"")]), "is there twice"),
        (write_archive([("a", b""), ("manifest.json", b"{}")]), "first member is not manifest.json"),
        (write_archive([("manifest.json", bytes(MAX_FILE + 1))]), "larger than 10 MiB"),
        (bytes(50 * 2**20 + 1), "larger than 50 MiB"),
        (write_archive([("manifest.json", b"{}"), *((f"f{n}", b"") for n in range(MAX_FILES + 1))]), "more than 2000 files"),
    ],
)  # fmt: skip
def test_containers_that_are_refused(content: bytes, why: str) -> None:
    assert why in refusal(content)


def test_two_members_that_overlap_are_refused() -> None:
    """A zip bomb: the directory lets a second member begin inside of the first."""
    inner = write_archive([("b", b"x")])
    local = inner[: inner.index(b"PK\x01\x02")]
    outer = bytearray(write_archive([("manifest.json", b"{}"), ("a", local), ("b", b"x")]))
    entry = outer.rindex(b"PK\x01\x02")
    outer[entry + 42 : entry + 46] = outer.index(local).to_bytes(4, "little")
    assert "does not agree" in refusal(bytes(outer))


def test_a_link_is_refused() -> None:
    content = bytearray(GOOD)
    entry = content.rindex(b"PK\x01\x02")
    content[entry + 40 : entry + 42] = (0o120777).to_bytes(2, "little")
    assert "a link" in refusal(bytes(content))


def test_a_member_that_only_the_directory_knows_is_refused() -> None:
    hidden = write_archive([("manifest.json", b"{}"), ("a", b"1")])
    directory = hidden.index(b"PK\x01\x02")
    only = hidden[: hidden.index(b"PK\x03\x04", 4)] + hidden[directory:]
    assert refusal(only)


def drop(key: str) -> Callable[[dict[str, Any]], None]:
    return lambda manifest: manifest.pop(key)


def put(*path: Any) -> Callable[[dict[str, Any]], None]:
    *keys, last, value = path

    def change(manifest: dict[str, Any]) -> None:
        target: Any = manifest
        for key in keys:
            target = target[key]
        target[last] = value

    return change


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (put("format", 2), "upgrade"),
        (put("format", 0), "format is not 1"),
        (put("format", True), "format is not 1"),
        (drop("tools"), "has no 'tools'"),
        (put("surprise", 1), "unknown key 'surprise'"),
        (put("tools", {}), "tools is not a list"),
        (put("tools", 0, "name", "get order"), "tools[0]: name is not a tool name"),
        (put("tools", 0, "module", "skills/tools"), "module is not a dotted name"),
        (put("tools", 0, "module", "skills.missing"), "the module 'skills.missing' is not among its files"),
        (put("tools", 0, "inputSchema", []), "inputSchema is not an object"),
        (put("tools", 0, "hasCondition", 1), "hasCondition is not true or false"),
        (put("skill", "name", ""), "name is not a name"),
        (put("skill", "context", {}), "context is empty"),
        (put("skill", "context", {"video": ""}), "unknown key 'video'"),
        (put("skill", "instructions", "x.md"), "document 'x.md' is not among its files"),
        (put("skill", "hasCondition", True), "does not agree with itself"),
        (put("files", 0, "size", 7), "is not the one that its manifest describes"),
        (put("files", 0, "sha256", "0" * 64), "is not the one that its manifest describes"),
        (put("files", 0, "sha256", "0"), "not a SHA-256"),
        (put("files", 0, "kind", "program"), "kind is not 'document'"),
        (put("files", 0, "path", "other.py"), "not those that its manifest lists"),
        (put("files", []), "not those that its manifest lists"),
        (put("env", ["A=B"]), "not the name of a variable"),
        (put("lock", {"file": "uv.lock"}), "lock has no 'sha256'"),
    ],
)  # fmt: skip
def test_manifests_that_are_refused(change: Callable[[dict[str, Any]], None], why: str) -> None:
    assert why in refusal(packed(change))


def test_a_tool_twice_is_refused() -> None:
    assert "two tools" in refusal(packed(lambda manifest: manifest["tools"].append(manifest["tools"][0])))


@pytest.mark.parametrize(
    "text",
    [
        b"", b"[]", b"nul", b'{"a":1,"a":1}', b'{"format":NaN}', b'{"a":"\\ud800"}', b"\xff", b"[" * 100_000, b'{"a":' * 50_000,
        b'{"a":' + b"9" * 10_000 + b"}", b'{"a":1e999}',
    ],
    ids=repr,
)  # fmt: skip
def test_manifests_that_are_no_json_are_refused(text: bytes) -> None:
    assert "manifest.json" in refusal(write_archive([(MANIFEST_NAME, text)]))


def test_a_manifest_in_another_form_is_refused() -> None:
    text = json.dumps(json.loads(manifest_bytes(manifest())), indent=1).encode()
    assert "canonical" in refusal(
        write_archive([(MANIFEST_NAME, text), ("skills/__init__.py", b""), ("skills/tools.py", b"x = 1\n")])
    )


@pytest.mark.parametrize(
    "name",
    ["../evil.py", "/tmp/evil.py", "a\\..\\evil.py", "C:evil.py", "skills/TOOLS.PY", "skills/tools.py/x", "con", "x\x00y", "SKILLS/x.py",
     "manifest.JSON"],
)  # fmt: skip
def test_hostile_names_are_refused_although_the_manifest_lists_them(name: str) -> None:
    files = dict(sorted({"skills/__init__.py": b"", "skills/tools.py": b"x = 1\n", name: b"evil"}.items()))
    assert "member" in refusal(packed(files=files))


def test_members_that_are_not_sorted_are_refused() -> None:
    assert "not sorted" in refusal(packed(files={"skills/tools.py": b"x = 1\n", "skills/__init__.py": b""}))


def mutated(content: bytes, rng: random.Random) -> bytes:
    """One of the ways in which bytes get wrong, by accident or by a grudge."""
    data = bytearray(content)
    for _ in range(rng.choice((1, 1, 1, 2, 5))):
        at = rng.randrange(len(data) or 1)
        kind = rng.randrange(7)
        if kind == 0:
            data[at : at + 1] = bytes([rng.randrange(256)])
        elif kind == 1:
            del data[at : at + rng.randrange(1, 40)]
        elif kind == 2:
            data[at:at] = rng.randbytes(rng.randrange(1, 40))
        elif kind == 3:
            data[at : at + 4] = rng.choice((b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06", b"\xff\xff\xff\xff", bytes(4)))
        elif kind == 4:
            data = bytearray(
                bytes(data).replace(b"skills/", rng.choice((b"../../a", b"/tmp/a/", b"C:\\tmp\\", b"\x00kills/")), 1)
            )
        elif kind == 5:
            data = bytearray(bytes(data).replace(b"skills/", rng.choice((b"../../a", b"/tmp/a/", b"SKILLS/"))))
        else:
            begin, end = sorted((at, rng.randrange(len(data) or 1)))
            data += data[begin:end]
    return bytes(data)


def test_mutated_artifacts_never_get_out_and_never_give_a_traceback(tmp_path: Path) -> None:
    """Whatever opens is the artifact itself (a mutation can be none); whatever does not is one LuaError."""
    rng = random.Random(20)
    cache = tmp_path / "deep" / "cache"
    originals = [
        artifact().content,
        artifact("other", files=(module("skills/tools.py"), module("größe/x.py"), module("b.py", "y" * 500))).content,
    ]
    opened_count = 0
    for _ in range(MUTATIONS):
        original = rng.choice(originals)
        content = mutated(original, rng)
        try:
            opened = open_artifact(content)
        except LuaError as error:
            assert "\n" not in error.message
            continue
        assert content == original
        opened_count += 1
        assert unpack(opened, cache).parent == cache
    assert opened_count < MUTATIONS / 10
    assert {path.name for path in tmp_path.iterdir()} <= {"deep"}


def test_changed_members_with_a_matching_manifest_never_get_out(tmp_path: Path) -> None:
    """The forger who also mends the checksums, the digests and the directory."""
    rng = random.Random(21)
    cache = tmp_path / "deep" / "cache"
    odd = [
        "..",
        ".",
        "",
        "a",
        "A",
        "b.py",
        "con",
        "x:y",
        "é",
        "é",
        "\\",
        "\x00",
        "~",
        "$HOME",
        "-",
        " ",
        "manifest.json",
    ]
    outcomes = set()
    for _ in range(MUTATIONS):
        names = {"/".join(rng.choices(odd, k=rng.randrange(1, 4))) for _ in range(rng.randrange(1, 4))}
        files = {name: rng.randbytes(3) for name in sorted({*names, "skills/tools.py"})}
        try:
            opened = open_artifact(packed(files=files))
        except LuaError:
            outcomes.add("refused")
            continue
        folder = unpack(opened, cache)
        written = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
        assert written == files.keys()
        outcomes.add("written")
    assert outcomes == {"refused", "written"}
    assert {path.name for path in tmp_path.iterdir()} == {"deep"}
    assert {path.name for path in cache.parent.iterdir()} == {"cache"}
