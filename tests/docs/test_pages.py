"""Pages hold together: links lead somewhere, blocks are what they say, and the names in them exist."""

from __future__ import annotations

import ast
import json
import re
import tomllib
from pathlib import Path

import pytest

from tests.docs.blocks import PAGES, REPOSITORY, Block, blocks, prose

BLOCKS = [block for page in PAGES for block in blocks(page)]


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#{1,6} (.+)$", prose(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
        if target.startswith(("https://", "http://")):
            continue
        path, _, anchor = target.partition("#")
        linked = (page.parent / path).resolve() if path else page
        assert linked.exists(), f"{page.name} links to {target}"
        assert not anchor or anchor in anchors(linked), f"{page.name} links to {target}: no such heading"


def test_every_page_is_reached_from_the_index() -> None:
    folder = REPOSITORY / "docs"
    index = prose(folder / "index.md")
    for page in sorted(folder.rglob("*.md")):
        name = page.relative_to(folder).as_posix()
        assert name == "index.md" or f"]({name})" in index, f"docs/index.md does not link to {name}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_rules_that_pages_name_exist(page: Path) -> None:
    from lua_cli.rules.judging.catalogue import codes

    named = set(re.findall(r"`(lua/[a-z0-9-]+)`", page.read_text(encoding="utf-8")))
    assert named <= set(codes()), f"{page.name} names rules that are not there: {sorted(named - set(codes()))}"


@pytest.mark.parametrize("block", BLOCKS, ids=str)
def test_a_block_is_what_it_says(block: Block) -> None:
    match block.language:
        case "python":
            ast.parse(block.text)
        case "json":  # one document, or one a line
            whole = block.text.count("\n{") == 0
            for document in [block.text] if whole else block.text.splitlines():
                json.loads(document)
        case "toml":
            tomllib.loads(block.text)
        case "yaml":
            from ruamel.yaml import YAML

            YAML(typ="safe").load(block.text)
        case "sh" | "console" | "markdown" | "text" | "":
            pass
        case other:
            pytest.fail(f"{block}: nothing checks blocks of {other!r}")
