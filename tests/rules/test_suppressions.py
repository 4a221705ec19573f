"""Comments that silence: what is one, and which codes it names."""

from __future__ import annotations

from lua_cli.rules.judging.suppressions import suppressions_in


def codes(text: str) -> list[tuple[int, list[str]]]:
    return [(s.place.line, [code for code, _ in s.codes]) for s in suppressions_in("a.py", text)]


def test_what_a_suppression_looks_like() -> None:
    assert codes("x = 1  # lua: ignore[tool-name-style]\n") == [(1, ["tool-name-style"])]
    assert codes("x = 1  #lua:ignore[lua/a, b]  because\n") == [(1, ["lua/a", "b"])]
    assert codes("x = 1  # noqa: E501  # lua: ignore[a]\n") == [(1, ["a"])]
    assert codes("x = 1  # lua: ignore\n") == [(1, [])]
    assert codes("# lua: ignored[a] is no directive\n") == []


def test_strings_are_no_comments() -> None:
    assert codes('x = """\n# lua: ignore[a]\n"""\ny = "# lua: ignore[b]"  # lua: ignore[c]\n') == [(4, ["c"])]


def test_places_are_columns_of_characters() -> None:
    (found,) = suppressions_in("a.py", 'größe = "検索"  # lua: ignore[a, bc]\n')
    assert [(code, place.column, place.end_column) for code, place in found.codes] == [("a", 29, 30), ("bc", 32, 34)]


def test_a_broken_file_keeps_the_comments_before_the_fault() -> None:
    assert codes("x = 1  # lua: ignore[a]\ny = (\n") == [(1, ["a"])]
    assert codes("x = 1  # lua: ignore[a]\n  y = 1\n z = 2\n")[:1] == [(1, ["a"])]
