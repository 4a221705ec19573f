"""SKILL.md, read as YAML reads it where it is YAML, and as it stands where it is none."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML
from ruamel.yaml.scalarstring import (
    DoubleQuotedScalarString,
    FoldedScalarString,
    LiteralScalarString,
    SingleQuotedScalarString,
)

from lua_cli import LuaSkill
from lua_cli.sdk.skill_file import read_skill_file

WORDS = st.text(st.sampled_from("ab Zé:#'\"\\-,.|>[]{}&*!?%@`\n"), max_size=120).map(str.strip)
STYLES = [str, SingleQuotedScalarString, DoubleQuotedScalarString, FoldedScalarString, LiteralScalarString]


@settings(max_examples=300, deadline=None)
@given(WORDS, st.sampled_from(STYLES), st.integers(20, 120))
def test_a_value_is_what_yaml_reads(text: str, style: type[str], width: int) -> None:
    yaml, reader = YAML(), YAML(typ="safe", pure=True)
    yaml.width = width
    out = io.StringIO()
    yaml.dump({"name": "pdf", "description": style(text)}, out)
    head = out.getvalue()
    read = read_skill_file(f"---\n{head}---\nBody\n")
    meant = reader.load(head)["description"]
    assert read.fields["description"].value == (meant or "").strip()
    assert (read.fields["name"].value, read.body) == ("pdf", "Body")


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("description: Use when: the user asks # now", "Use when: the user asks"),
        ('description: "Split" and merge', '"Split" and merge'),
        ("description: It's, don't ask", "It's, don't ask"),
        ("description: [beta] splits", "[beta] splits"),
        (
            "description: >-\n  Folded\n  text.\n\n  And: more.\n    deeper\n  end",
            "Folded text.\nAnd: more.\n  deeper\nend",
        ),
        ("description: |\n  Two\n  lines", "Two\nlines"),
        ("description:\n  below", "below"),
        ("description:", ""),
        ("description:   \n", ""),
        ('description: "a\\u00fcb\\n\\x41"', "aüb\nA"),
        ("description: a\n\n  b", "a\nb"),
        ("'description': quoted key", "quoted key"),
        ("description: once\ndescription: twice", "once"),
    ],
)
def test_what_is_no_yaml_is_taken_as_it_stands(written: str, meant: str) -> None:
    assert read_skill_file(f"---\nname: pdf\n{written}\n---\n").fields["description"].value == meant


@pytest.mark.parametrize("text", ["", "# PDF", "---\nname: pdf\n", "\n---\nname: pdf\n---\n", "--- \nname"])
def test_a_file_without_a_head_is_all_body(text: str) -> None:
    read = read_skill_file(text)
    assert (read.head, read.body, dict(read.fields)) == (None, text, {})


def test_places_and_line_ends() -> None:
    read = read_skill_file(
        "\ufeff---\r\nname:  pdf  \r\ndescription: a\r\n  b\r\n\r\nlicense: MIT\r\n---\r\n\r\nBody\r\n"
    )
    assert read.fields["name"] == ("pdf", 2, 8, 2, 11)
    assert read.fields["description"] == ("a b", 3, 14, 4, 4)
    assert read.fields["license"].line == 6
    assert read.body == "Body"
    assert read_skill_file("---\na: 1\na: 2\n---\n").twice == [("a", 3)]


def test_a_skill_of_a_folder_in_any_python(tmp_path: Path) -> None:
    folder = tmp_path / "skills/pdf"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text("---\nname: pdf\ndescription: Splits.\n---\nBody\n", "utf-8")
    source = 'from lua_cli import LuaSkill\npdf = LuaSkill.from_folder("skills/pdf", context="c")\n'
    names: dict[str, LuaSkill] = {}
    exec(compile(source, str(tmp_path / "agent.py"), "exec"), names)  # the folder is beside the file that names it
    pdf = names["pdf"]
    assert (pdf.name, pdf.description, pdf.context) == ("pdf", "Splits.", "c")
    assert (pdf.instructions, pdf.tools, pdf.condition) == ("skills/pdf/SKILL.md", [], None)
    (folder / "SKILL.md").write_text("---\ndescription: Splits.\n---\n", "utf-8")
    exec(compile(source, str(tmp_path / "agent.py"), "exec"), names)
    assert names["pdf"].name == "pdf"
    with pytest.raises(FileNotFoundError, match=r"there is no SKILL.md in .*nowhere"):
        LuaSkill.from_folder("nowhere")
