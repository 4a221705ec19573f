"""What may be the name of a member, and which names cannot live together."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lua_cli.bundle.names import artifact_file_name, collisions, folded, name_problem


@pytest.mark.parametrize(
    "name", ["a.py", "skills/tools/t.py", "päckchen/größe.txt", "a b/c d.md", ".hidden", "console.py", "com10"]
)
def test_ordinary_names_are_fine(name: str) -> None:
    assert name_problem(name) is None


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("", "is empty"),
        ("/etc/passwd", "is absolute"),
        ("../x", "has the part '..'"),
        ("a/../../x", "has the part '..'"),
        ("a/./b", "has the part '.'"),
        ("a//b", "has an empty part"),
        ("a/", "has an empty part"),
        ("a\\b", r"'\\'"),
        ("C:/x", "':'"),
        ("c:x", "':'"),
        ("a\x00.py", r"'\x00'"),
        ("a\n.py", r"'\n'"),
        ("a?.py", "'?'"),
        ("a.py.", "Windows drops"),
        ("a /b", "Windows drops"),
        ("nul", "device on Windows"),
        ("tools/AUX.py", "device on Windows"),
        ("lpt¹.tar.gz", "device on Windows"),
        ("con .py", "device on Windows"),
        ("x" * 256, "longer than 255 bytes"),
        ("é" * 128, "longer than 255 bytes"),
        ("/".join(["abcdefgh"] * 200), "longer than 1024 bytes"),
        ("\ud800", "not valid Unicode"),
    ],
)
def test_names_that_some_system_reads_differently_are_refused(name: str, why: str) -> None:
    assert why in (name_problem(name) or "")


@pytest.mark.parametrize(
    ("names", "pair", "why"),
    [
        (["a.py", "A.py"], ("A.py", "a.py"), "letter case"),
        (["caf\u00e9", "cafe\u0301"], ("cafe\u0301", "caf\u00e9"), "letter case or Unicode form"),
        (["stra\u00dfe", "STRASSE"], ("STRASSE", "stra\u00dfe"), "letter case"),
        (["A/x.py", "a/y.py"], ("A/x.py", "a/y.py"), "letter case"),
        (["a", "a/b"], ("a", "a/b"), "a file and a folder"),
        (["A", "a/b"], ("A", "a/b"), "letter case"),
        (["a", "a"], ("a", "a"), "the same name"),
    ],
)
def test_collisions_are_found(names: list[str], pair: tuple[str, str], why: str) -> None:
    [(one, other, reason)] = collisions(names)
    assert (one, other) == pair
    assert why in reason


def test_a_tree_without_collisions_has_none() -> None:
    assert list(collisions(["manifest.json", "a/__init__.py", "a/b.py", "a/b/c.py", "ab.py", "a-b"])) == []


def test_plain_skill_names_stay() -> None:
    assert artifact_file_name("orders") == "orders.luapkg"
    assert artifact_file_name("search-docs_2") == "search-docs_2.luapkg"


@pytest.mark.parametrize(
    "skill",
    ["Orders", "Bestellungen & Rückgabe", "注文", "../x", "con", "a" * 65, "x.y", "", "a/b", "\ud800", "-x", "NUL"],
)
def test_other_skill_names_get_a_safe_file(skill: str) -> None:
    name = artifact_file_name(skill)
    assert name_problem(name) is None
    assert "/" not in name
    assert name.endswith(".luapkg")
    assert name.isascii()
    assert name == name.lower()


@given(st.text(), st.text())
def test_two_skills_never_share_a_file(one: str, other: str) -> None:
    if one != other:
        assert folded(artifact_file_name(one)) != folded(artifact_file_name(other))
