"""The picture in README.md: a real compile of the orders template with a mistake in it, in colour, as SVG."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from lua_cli.scaffold import scaffold, template_named
from tests.docs.blocks import REPOSITORY

PICTURE = REPOSITORY / "docs/compile.svg"
WIDTH = 128


def draw() -> str:
    """The SVG. The digest of an artifact changes with every change of the template, so the picture shows none."""
    from rich.console import Console
    from rich.text import Text

    with tempfile.TemporaryDirectory() as folder:
        root = scaffold(template_named("orders"), Path(folder) / "my-agent", "my-agent").root
        skill = root / "src/skills/orders.py"
        skill.write_text(skill.read_text("utf-8").replace("LookupOrder()", 'LookupOrder(region="eu")'), "utf-8")
        said = subprocess.run(
            [sys.executable, "-m", "lua_cli", "compile"],
            cwd=root,
            env={**os.environ, "FORCE_COLOR": "1", "PYTHONUTF8": "1"},
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=120,
            check=True,
        ).stdout
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    console.print(Text.from_ansi("$ lua compile\n" + re.sub(r"sha256:[0-9a-f]+", "sha256:…", said).rstrip()))
    svg = console.export_svg(title="lua compile", unique_id="lua-compile")
    return re.sub(r"\s*@font-face \{.*?\}", "", svg, flags=re.DOTALL)  # a picture fetches nothing


def words(svg: str) -> list[str]:
    """What the picture says, without how it is drawn (which differs between versions of rich)."""
    return re.findall(r"<text [^>]*>([^<]*)</text>", svg)


if __name__ == "__main__":
    PICTURE.write_text(draw(), encoding="utf-8")
