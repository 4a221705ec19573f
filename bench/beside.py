"""A cold compile beside the tool for TypeScript, on projects of the same shape.

    python bench/beside.py [--tools 10,100] [--rounds 2] [--npm FOLDER]

Needs npm. `lua-cli` is installed into FOLDER (a temporary one without it), its telemetry is off, and nothing is sent
anywhere. Both are run in turn, so that they drift with the machine together. Prints seconds of wall and CPU, the peak
of the largest process, and how many times as much the other takes; judges nothing.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parent)]
from generate import HELPERS_A_TOOL, TOOLS_A_SKILL, generate  # noqa: E402  # the folder is no package
from run import LUA, Run, run  # noqa: E402

PACKAGE = "lua-cli@3.37.0"
FILES = {
    "package.json": '{"name": "generated", "version": "1.0.0", "type": "module", "main": "src/index.ts"}\n',
    "tsconfig.json": '{"compilerOptions": {"module": "ESNext", "moduleResolution": "bundler", "target": "ES2020"}}\n',
    "lua.skill.yaml": "agent:\n  agentId: agent_1\n  orgId: org_1\nskills: []\n",
    "src/shared/links.ts": """\
export function link(path: string, query: Record<string, string>) {
  return path + '?' + new URLSearchParams(query);
}
""",
    "src/shared/bases.ts": """\
import { LuaTool } from 'lua-cli';
import { z } from 'zod';
import { link } from './links';

export class IndexSearch implements LuaTool {
  name = 'index_search';
  description = 'Search the index of the company. Use when the question is about a document.';
  inputSchema = z.object({ query: z.string().describe('The words to look for'), limit: z.number().default(10) });
  path = '/index';

  async execute(input: z.infer<typeof this.inputSchema>) {
    return { link: link(this.path, { q: input.query }) };
  }
}

export class RegionSearch extends IndexSearch {
  path = '/region';
}
""",
}
OWN_INPUT = """\
import {{ LuaTool }} from 'lua-cli';
import {{ z }} from 'zod';
import {{ link }} from '../shared/links';

{helpers}
export class Tool{n} implements LuaTool {{
  name = 'tool_{n}';
  description = 'Look up facts of kind {n}. Use when the customer asks about kind {n}.';
  inputSchema = z.object({{ order: z.string().describe('Order number'), count: z.number().default(1) }});

  async execute(input: z.infer<typeof this.inputSchema>) {{
    return {{ link: link('/{n}', {{ q: input.order }}), rows: keep{n}_0([{{ id: input.order, score: {n} }}]) }};
  }}
}}
"""
DERIVED = """\
import {{ {base} }} from '../shared/bases';

{helpers}
export class Tool{n} extends {base} {{
  name = 'tool_{n}';
  path = '/{n}';
}}
"""
HELPER = """\
export function keep{n}_{k}(rows: Record<string, any>[], limit: number = {limit}) {{
  // The best rows, the highest score first.
  const good = rows.filter((row) => (row.score ?? 0) >= {k});
  good.sort((a, b) => (b.score ?? 0) - (a.score ?? 0));
  return good.slice(0, limit);
}}
"""


def typescript(root: Path, tools: int) -> None:
    """Write the project that `generate` writes, in TypeScript."""
    files = dict(FILES)
    for n in range(tools):
        helpers = "\n".join(HELPER.format(n=n, k=k, limit=10 + k) for k in range(HELPERS_A_TOOL))
        base = "RegionSearch" if n % 10 == 0 else "IndexSearch"
        form = DERIVED if n % 5 == 0 else OWN_INPUT
        files[f"src/tools/tool_{n}.ts"] = form.format(n=n, helpers=helpers, base=base)
    skills = range(0, tools, TOOLS_A_SKILL)
    for first in skills:
        members = range(first, min(first + TOOLS_A_SKILL, tools))
        imports = "".join(f"import {{ Tool{n} }} from '../tools/tool_{n}';\n" for n in members)
        files[f"src/skills/skill_{first}.skill.ts"] = (
            f"import {{ LuaSkill }} from 'lua-cli';\n{imports}\nexport const skill{first} = new LuaSkill({{\n"
            f"  name: 'skill-{first}',\n  description: 'Facts of group {first}',\n  context: 'Use these tools.',\n"
            f"  tools: [{', '.join(f'new Tool{n}()' for n in members)}],\n}});\n"
        )
    imports = "".join(f"import {{ skill{first} }} from './skills/skill_{first}.skill';\n" for first in skills)
    files["src/index.ts"] = (
        f"import {{ LuaAgent }} from 'lua-cli';\n{imports}\nexport const agent = new LuaAgent({{\n"
        f"  name: 'generated',\n  persona: 'You answer questions.',\n"
        f"  skills: [{', '.join(f'skill{first}' for first in skills)}],\n}});\n"
    )
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def installed(folder: Path) -> Path:
    """The other tool's program, installed when it is not there."""
    program = folder / "node_modules/.bin/lua"
    if not program.exists():
        words = ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", PACKAGE]
        subprocess.run(words, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    return program


def shown(what: str, ours: list[Run], theirs: list[Run]) -> str:
    cells = [what]
    for of in (lambda one: one.seconds, lambda one: one.cpu, lambda one: one.peak_mb):
        here, there = (statistics.median(map(of, runs)) for runs in (ours, theirs))
        cells += [f"{here:.2f}", f"{there:.2f}", f"{there / here:.1f}"]
    return "| " + " | ".join(cells) + " |"


def compared(work: Path, program: Path, tools: int, rounds: int) -> None:
    """Print the rows of one size."""
    python, other = work / f"python-{tools}", work / f"typescript-{tools}"
    generate(python, tools)
    typescript(other, tools)
    check: list[Run] = []
    whole: list[Run] = []
    theirs: list[Run] = []
    for _ in range(rounds):
        for flags, kept in ((["--check"], check), ([], whole)):
            shutil.rmtree(python / ".lua", ignore_errors=True)
            kept.append(run([*LUA, "compile", *flags], python))
        shutil.rmtree(other / "dist-v2", ignore_errors=True)
        theirs.append(run([str(program), "compile", "--ci"], other))
    print(shown(f"{tools} tools, cold, no schemas", check, theirs))
    print(shown(f"{tools} tools, cold, with the schemas", whole, theirs), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tools", default="10,100", help="sizes of the projects; 1000 takes minutes")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--npm", type=Path, default=None, help="where the other tool is, or shall be")
    arguments = parser.parse_args()
    if shutil.which("npm") is None:
        sys.exit("there is no npm here, so there is nothing to compare with")
    os.environ["LUA_TELEMETRY"] = "false"
    with tempfile.TemporaryDirectory(prefix="lua-beside-") as folder:
        place = (arguments.npm or Path(folder)).resolve()
        place.mkdir(parents=True, exist_ok=True)
        program = installed(place)
        print("| what | s here | s there | × | CPU here | CPU there | × | MB here | MB there | × |")
        print("|---|" + "---:|" * 9)
        pairs = range(arguments.rounds)
        ours = [run([*LUA, "--version"], place) for _ in pairs]
        print(shown("--version", ours, [run([str(program), "--version"], place) for _ in pairs]), flush=True)
        for tools in map(int, arguments.tools.split(",")):
            compared(place / "projects" if arguments.npm else Path(folder), program, tools, arguments.rounds)


if __name__ == "__main__":
    main()
