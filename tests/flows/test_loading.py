"""What is wrong in a file of flows is said with its place and the way out; everything at once."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from lua_cli.flows.disk import load_folder, load_members
from lua_cli.flows.model import Flows


def load(document: str, **documents: str) -> Flows:
    members = {
        "flows/a.yaml": document.encode(),
        **{f"flows/{name}": text.encode() for name, text in documents.items()},
    }
    return load_members(members)


def said(flows: Flows) -> list[str]:
    """Each finding as "code path:line:column message | help"."""
    return [
        f"{finding.code.removeprefix('lua/flow-')} {finding.place.path.removeprefix('flows/')}:{finding.place.line}:"
        f"{finding.place.column} {finding.facts['message']} | {finding.facts['help']}"
        for finding in flows.findings
    ]


def flow(*blocks: str) -> str:
    return "flows:\n  - name: f\n    process:\n" + "".join(f"      - {block}\n" for block in blocks)


AGENT = "flows:\n  - name: f\n    process:\n      - type: ai-agent\n        name: a\n        prompt: Help.\n"
TOOL = "        tools:\n          - name: {name}\n            description: Does it.\n            process: [{{type: log}}]\n"


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        ("a: [", ["yaml a.yaml:1:5 a `[` or `{` is opened and not closed | the format is YAML 1.2: docs/flows.md"]),
        ("service: {name: a}\nservice: {name: b}\n", ["yaml a.yaml:2:1 the key `service` is there twice | a key may be there once"]),
        ("- 1\n", ["value a.yaml:1:1 a file of flows must be a mapping | keys: service, env, resources, connectors, flows"]),
        ("flow: []\n", ["unknown-key a.yaml:1:1 unknown key `flow` in a file of flows | did you mean `flows`? expected keys: service, env, resources, connectors, flows"]),
        ("service: {nam: x}\n", [
            "value a.yaml:1:10 service has no `name` | add `name:`",
            "unknown-key a.yaml:1:11 unknown key `nam` in service | did you mean `name`? expected keys: name",
        ]),
        ("flows:\n  - name: f\n", ["value a.yaml:2:5 a flow has no `process` | add `process:`"]),
        ("flows:\n  - {name: a b, process: [{type: log}]}\n", ["value a.yaml:2:12 'a b' cannot be a flow's name | a name is part of addresses: no spaces, dots or brackets"]),
        (flow("{type: set-paylod, settings: {value: '1'}}"), ["unknown-key a.yaml:4:16 there is no block `set-paylod` | did you mean `set-payload`?"]),
        (flow("{type: log, settings: {message: '1', lvel: info}}"), ["unknown-key a.yaml:4:46 unknown key `lvel` in the settings of log | did you mean `level`? expected keys: message, level, logger"]),
        (flow("{type: log, condition: 'true'}"), ["unknown-key a.yaml:4:21 unknown key `condition` in the block log | `condition` is a slot of other blocks; log has no slots: everything stands under `settings`"]),
        (flow("{type: set-payload, value: '1'}"), [
            "value a.yaml:4:16 set-payload has no `value` | add settings: {value: …}",
            "unknown-key a.yaml:4:29 unknown key `value` in the block set-payload | `value` belongs under `settings` of set-payload",
        ]),
        (flow("{type: if, settings: {condition: 'true'}, then: [{type: log}]}"), [
            "value a.yaml:4:16 if has no `condition` | add condition: …",
            "unknown-key a.yaml:4:20 unknown key `settings` in the block if | if has no settings: write its keys beside `type`",
        ]),
        (flow("{type: set-payload, settings: {value: body.a ==}}"), ["expression a.yaml:4:56 value: Syntax error: something is missing at the end | try it: lua flow eval '…' --data '{}' (value is CEL; a text needs quotes within: '\"text\"')"]),
        (flow("{type: set-payload, settings: {value: 380749690633015833657344}}"), ["expression a.yaml:4:47 value: invalid int literal | try it: lua flow eval '…' --data '{}' (value is CEL; a text needs quotes within: '\"text\"')"]),
        (flow("{type: set-payload, settings: {value: 'hello'}}"), ["expression a.yaml:4:48 value: undeclared reference to 'hello' (a text needs quotes of its own: \"hello\") | try it: lua flow eval '…' --data '{}' (value is CEL; a text needs quotes within: '\"text\"')"]),
        (flow("type: set-payload\n        settings:\n          value: |\n            {\"a\": body.a,\n             \"b\": nope}"), ["expression a.yaml:8:19 value: undeclared reference to 'nope' (a text needs quotes of its own: \"nope\") | try it: lua flow eval '…' --data '{}' (value is CEL; a text needs quotes within: '\"text\"')"]),
        (flow("{type: set-payload, settings: {value: 2020-01-01}}"), ["expression a.yaml:4:47 value: 2020-01-01 is a subtraction, not a date | a text needs quotes of its own: '\"2020-01-01\"'; a time is timestamp(\"2020-01-01T00:00:00Z\")"]),
        (flow("{type: set-payload, settings: {value: '{\"a\": 1, \"b\": {\"a\": 2}, \"a\": 3}'}}"), ["expression a.yaml:4:72 value: the key \"a\" is there twice | try it: lua flow eval '…' --data '{}' (value is CEL; a text needs quotes within: '\"text\"')"]),
        (flow("{type: set-variable, name: x, settings: {value: '1'}}"), ["value a.yaml:4:16 set-variable has no `name` | add settings: {name: …}; the `name` beside `type` is the block's own"]),
        (flow("{type: set-payload, settings: {value: !!int ''}}"), ["yaml a.yaml:4:47 '' is no value of the type int | the format is YAML 1.2: docs/flows.md"]),
        (flow("{type: set-payload, settings: {value: !!bool maybe}}"), ["yaml a.yaml:4:47 'maybe' is no value of the type bool | the format is YAML 1.2: docs/flows.md"]),
        (flow("{type: log, settings: !own {message: '1'}}"), ["yaml a.yaml:4:31 the tag !own is not known | the format is YAML 1.2: docs/flows.md"]),
        (AGENT + TOOL.format(name="t") + "            inputSchema: {properties: {a: {const: .nan}}}\n", ["yaml a.yaml:11:51 .nan is no number that JSON has | the format is YAML 1.2: docs/flows.md"]),
        (flow("{type: set-payload, settings: {value: null}}"), ["value a.yaml:4:47 value must be a CEL expression | null needs quotes, as every expression: 'null'"]),
        (flow("{type: foreach, items: body, mode: each, body: [{type: log}]}"), ["value a.yaml:4:44 mode must be one of iterate, map | one of: iterate, map"]),
        (flow("{type: foreach, items: body, body: [{type: log}], process: [{type: log}]}"), ["value a.yaml:4:68 `process` and `body` mean the same here | keep one of them"]),
        (flow("{type: flow-ref, settings: {flow: g}}"), ["reference a.yaml:4:43 there is no flow `g` | add the flow: flows: [{name: …, process: […]}]"]),
        (flow("{type: log, name: x}", "{type: log, name: x}"), ["duplicate-name a.yaml:5:27 two blocks of this chain are called `x` | give each a name of its own"]),
        (flow("{type: log, name: a.b}"), ["value a.yaml:4:27 'a.b' cannot be a block's name | a name is part of the block's address: no spaces, dots or brackets"]),
        ("flows:\n  - {name: f, process: []}\n", ["value a.yaml:2:24 the chain is empty | add a block: - type: log"]),
        ("flows:\n  - {name: f, process: [{type: log}]}\n  - {name: f, process: [{type: log}]}\n", ["duplicate-name a.yaml:3:12 two flows are called `f` | give each a name of its own"]),
        ("flows:\n  - {name: s, source: {type: cron}, process: [{type: log}]}\n  - {name: f, process: [{type: flow-ref, settings: {flow: s}}]}\n", [
            "reference a.yaml:3:59 the flow `s` has a source and cannot be called | move the chain into a flow without `source`, and let both call that one",
        ]),
        ("flows:\n  - {name: f, process: [{type: rest, settings: {connector: api, path: /}}]}\n", ["reference a.yaml:2:60 there is no connector `api` | declare it: connectors: [{name: …, type: …}]"]),
        ("connectors:\n  - {name: api, type: http}\n" + flow("{type: rest, settings: {connector: api, path: /}}"), ["reference a.yaml:6:44 the connector `api` is of type http, and http-client is needed here | declare one: {name: …, type: http-client}"]),
        (
            "connectors:\n  - {name: a, type: http-client, settings: {baseUrl: x}}\n  - {name: b, type: http-client}\n",
            [
                "value a.yaml:2:44 the settings of http-client has no `baseURL` | add `baseURL:`",
                "unknown-key a.yaml:2:45 unknown key `baseUrl` in the settings of http-client | did you mean `baseURL`? expected keys: baseURL, headers",
                "value a.yaml:3:21 http-client has no `baseURL` | settings: {baseURL: https://api.example}",
            ],
        ),
        ("connectors:\n  - {name: a, type: x}\n  - {name: a, type: y}\n", ["duplicate-name a.yaml:3:12 two connectors are called `a` | give each a name of its own"]),
        ("connectors:\n  - {name: a, type: '${KIND}'}\n", ["reference a.yaml:2:21 the variable KIND is not declared in `env` | declare it: env: [{name: KIND}]", "value a.yaml:2:21 type must be a text | put it in quotes"]),
        ("env:\n  - {name: A-B}\n  - {name: C, required: maybe}\n  - {name: C}\n", [
            "value a.yaml:2:12 'A-B' cannot be a variable's name | letters, digits and `_`, no digit first",
            "value a.yaml:3:25 required must be true or false | required: true",
            "duplicate-name a.yaml:4:12 two variables are called `C` | give each a name of its own",
        ]),
        ("resources:\n  templates:\n    - {resource: none.md}\n", ["resource a.yaml:3:18 the artifact has no none.md | compile the project again"]),
        (AGENT + TOOL.format(name="load_skill"), ["value a.yaml:8:19 the name load_skill is taken | give the tool another name: load_skill is how the model loads a document"]),
        (AGENT + TOOL.format(name="a b"), ["value a.yaml:8:19 'a b' cannot be a tool's name | letters, digits, `_` and `-`, at most 64"]),
        (AGENT + TOOL.format(name="t") + "            inputSchema: '{\"type\": \"object\"'\n", ["schema a.yaml:11:44 inputSchema is no JSON: Expecting ',' delimiter | inputSchema: '{\"type\": \"object\", \"properties\": {\"orderId\": {\"type\": \"string\"}}}'"]),
        (AGENT + TOOL.format(name="t") + "            inputSchema: '{\"type\": \"objet\"}'\n", ["schema a.yaml:11:26 inputSchema is no JSON Schema of an object: a tool's arguments are an object, and `type` is 'objet' | see https://json-schema.org"]),
        (AGENT + TOOL.format(name="t") + "            inputSchema: '{\"properties\": {\"a\": {\"default\": NaN}}}'\n", ["schema a.yaml:11:26 inputSchema cannot be read: NaN is no JSON | mend or shorten it"]),
        (AGENT + TOOL.format(name="t") + "            inputSchema: '{\"properties\": {\"a\": {}, \"a\": {}}}'\n", ["schema a.yaml:11:26 inputSchema cannot be read: 'a' is there twice | mend or shorten it"]),
        (AGENT.replace("Help.", '"\\ud800"'), ["yaml a.yaml:6:17 the text holds half of a character (a lone surrogate) | the format is YAML 1.2: docs/flows.md"]),
        ("%YAML 1.1\n---\nflows: []\n", ["yaml a.yaml:1:1 only YAML 1.2 is read: leave the line out | the format is YAML 1.2: docs/flows.md"]),
        ("a: " + "[" * 3000, ["yaml a.yaml:1:1 is nested too deeply | the format is YAML 1.2: docs/flows.md"]),
        (AGENT + TOOL.format(name="t") + "            inputSchema: '{\"properties\": 5}'\n", ["schema a.yaml:11:26 inputSchema is no JSON Schema of an object: 5 is not of type \"object\" (at properties) | see https://json-schema.org"]),
        (AGENT + "        skills: [{name: s, description: d, resource: s}]\n", ["reference a.yaml:7:54 there is no template `s` | declare it: resources: {templates: [{resource: path, as: name}]}"]),
        (AGENT + "        tools: [{name: t, process: [{type: log}]}]\n", ["value a.yaml:7:17 a tool has no `description` | add `description:`"]),
        ("flows:\n  - name: f\n    process: [{type: ai-agent, prompt: Help.}]\n", ["value a.yaml:3:22 ai-agent has no `name` | add name: …"]),
        (AGENT + "        maxIterations: 0\n", ["value a.yaml:7:24 maxIterations must be a whole number from 1 to 100 | maxIterations: 1"]),
        (AGENT.replace("Help.", "'{{ body. }}'"), ["expression a.yaml:6:26 prompt: Syntax error: no viable alternative at input '.' | between {{ and }} stands CEL; {{raw}} … {{endraw}} keeps braces as they are"]),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_its_place(document: str, expected: list[str]) -> None:
    assert said(load(document)) == expected


def test_tools_and_skills_share_their_names() -> None:
    document = "resources: {templates: [{resource: s.md, as: s}]}\n" + AGENT + TOOL.format(name="same")
    flows = load(document + "        skills: [{name: same, description: d, resource: s}]\n", **{"s.md": "text"})
    assert said(flows) == [
        "duplicate-name a.yaml:12:25 two tools or skills of this agent are called `same` | give each a name of its own"
    ]


def test_a_document_that_reads_the_body_is_warned_about() -> None:
    document = "resources: {templates: [{resource: s.md, as: s}]}\n" + AGENT
    document += "        skills: [{name: s, description: d, resource: s}]\n"
    flows = load(document, **{"s.md": "One\n{{ vars.body }} {{ 'body' }} {{raw}}{{ body }}{{endraw}}\n{{ body.a }}\n"})
    (finding,) = flows.findings
    assert finding.code == "lua/flow-document-body"
    assert (
        finding.place.line,
        finding.related[0][0].path,
        finding.related[0][0].line,
        finding.related[0][0].column,
    ) == (8, "flows/s.md", 3, 4)


@pytest.mark.parametrize(
    ("text", "where", "message"),
    [
        ("a\nb {{ body. }}", (2, 11), "Syntax error: no viable alternative at input '.'"),
        ("{{ 1", (1, 1), "{{ has no end: close it with }}, or write {{raw}} … {{endraw}} around braces that are text"),
        ("{{raw}} {{ x", (1, 1), "{{raw}} has no {{endraw}}"),
        ("{{ }}", (1, 4), "the expression is empty"),
    ],
)
def test_a_template_that_is_none_is_said_in_its_own_file(text: str, where: tuple[int, int], message: str) -> None:
    flows = load("resources: {templates: [{resource: s.md, as: s}]}\n", **{"s.md": text})
    (finding,) = flows.findings
    assert (finding.place.path, (finding.place.line, finding.place.column), finding.facts["message"]) == (
        "flows/s.md",
        where,
        message,
    )


def test_a_template_may_be_plain_text() -> None:
    flows = load("resources: {templates: [{resource: s.md, as: s, template: false}]}\n", **{"s.md": "{{ x"})
    assert said(flows) == []
    assert flows.resources["s"].template.parts == ("{{ x",)


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("../../outside.md", "'../../outside.md' leads out of the project"),
        ("/etc/passwd", "'/etc/passwd' leads out of the project"),
        ("link.md", "flows/link.md is a link that leads out of the project"),
        ("none.md", "cannot read flows/none.md: No such file or directory"),
        ("latin.md", "flows/latin.md is not UTF-8 (byte 0)"),
        ("../.env", "'../.env' is left out of every artifact: an environment file"),
        ("env.txt", "'env.txt' is left out of every artifact: an environment file"),
        ("../id_rsa", "'../id_rsa' is left out of every artifact: a key file"),
        ("../.git/config", "'../.git/config' is left out of every artifact: in .git, version control"),
        ("pipe.md", "flows/pipe.md is no regular file"),
        ("loop.md", "flows/loop.md is a link that leads to itself"),
    ],
)
def test_a_resource_lies_in_the_project(tmp_path: Path, written: str, words: str) -> None:
    root = tmp_path / "project"
    (root / "flows").mkdir(parents=True)
    (tmp_path / "outside.md").write_text("secret")
    (root / "flows" / "link.md").symlink_to(tmp_path / "outside.md")
    (root / "flows" / "latin.md").write_bytes(b"\xe9")
    (root / ".env").write_text("KEY=1")
    (root / "flows" / "env.txt").symlink_to(root / ".env")
    (root / "id_rsa").write_text("key")
    (root / ".git").mkdir()
    (root / ".git" / "config").write_text("[core]")
    os.mkfifo(root / "flows" / "pipe.md")
    (root / "flows" / "loop.md").symlink_to("loop.md")
    (root / "flows" / "a.yaml").write_text(f"resources: {{templates: [{{resource: {written}, as: r}}]}}\n")
    (finding,) = load_folder(root, root / "flows").flows.findings
    assert (finding.code, finding.facts["message"]) == ("lua/flow-resource", words)


def test_files_of_a_folder_are_one(tmp_path: Path) -> None:
    files = {
        "flows/a.yaml": "service: {name: shop}\nflows: [{name: f, process: [{type: flow-ref, settings: {flow: g}}]}]\n",
        "flows/inner/b.yml": "resources: {templates: [{resource: ../../docs/d.md, as: d}]}\nflows: [{name: g, process: [{type: log}]}]\n",
        "flows/a.test.yaml": "cases: []\n",
        "docs/d.md": "text",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    loaded = load_folder(tmp_path, tmp_path / "flows")
    assert said(loaded.flows) == []
    assert (loaded.flows.service, list(loaded.flows.flows), loaded.flows.resources["d"].path) == (
        "shop",
        ["f", "g"],
        "docs/d.md",
    )
    assert {path.relative_to(tmp_path).as_posix() for path in loaded.read} == {
        "flows/a.yaml",
        "flows/inner/b.yml",
        "docs/d.md",
    }


@pytest.mark.parametrize(
    ("values", "settings"),
    [
        ({}, {"port": 8080, "host": "h:8080", "on": True, "none": 0}),
        ({"PORT": "1", "ON": "false", "NONE": "x"}, {"port": 1, "host": "h:1", "on": False, "none": "x"}),
    ],
)
def test_variables_have_their_natural_type(values: Mapping[str, str], settings: Mapping[str, object]) -> None:
    document = (
        "env: [{name: PORT, default: 8080}, {name: ON, default: true}, {name: NONE}]\n"
        "connectors: [{name: c, type: x, settings: {port: '${PORT}', host: 'h:${PORT}', on: '${ON}', none: '${NONE}'}}]\n"
    )
    flows = load_members({"a.yaml": document.encode()}, values)
    assert said(flows) == []
    assert flows.connectors["c"].settings == settings


def test_a_default_is_what_is_written() -> None:
    flows = load("env: [{name: ZIP, default: 007}, {name: VERSION, default: 1.10}, {name: ON, default: True}]\n")
    assert {name: one.default for name, one in flows.env.items()} == {"ZIP": "007", "VERSION": "1.10", "ON": "true"}


def test_a_variable_without_a_value_may_stand_for_a_number_or_a_word() -> None:
    document = (
        "env: [{name: SECONDS, required: true}, {name: LEVEL}, {name: FAIL}]\n"
        "connectors: [{name: api, type: http-client, settings: {baseURL: 'https://api.example'}}]\n"
    ) + flow(
        "{type: rest, settings: {connector: api, path: /x, timeout: '${SECONDS}', failOnError: '${FAIL}'}}",
        "{type: log, settings: {level: '${LEVEL}'}}",
    )
    assert said(load_members({"a.yaml": document.encode()})) == []
    rest, log = (
        load_members({"a.yaml": document.encode()}, {"SECONDS": "2.5", "LEVEL": "warn", "FAIL": "false"})
        .flows["f"]
        .blocks()
    )
    assert (rest.values["timeout"], rest.values["failOnError"], log.values["level"]) == (2.5, False, "warn")
    assert said(load_members({"a.yaml": document.encode()}, {"SECONDS": "soon", "LEVEL": "loud", "FAIL": "x"})) == [
        "value a.yaml:6:68 timeout must be a number from 0.001 to 3600 | timeout: 0.001",
        "value a.yaml:6:95 failOnError must be true or false | failOnError: true",
        "value a.yaml:7:39 level must be one of debug, info, warn, error | one of: debug, info, warn, error",
    ]


def test_no_file_is_left_out_in_silence(tmp_path: Path) -> None:
    folder = tmp_path / "flows"
    folder.mkdir()
    names = ("a.YAML", "b.test.c.yaml", "c.test.yml", "d.test.yaml", "e.txt", ".f.yaml")
    for number, name in enumerate(names):
        (folder / name).write_text(f"flows: [{{name: f{number}, process: [{{type: log}}]}}]\n")
    loaded = load_folder(tmp_path, folder)
    assert said(loaded.flows) == ["yaml a.YAML:1:1 a.YAML is not read: the ending is .YAML | call it a.yaml"]
    assert list(loaded.flows.flows) == ["f1"]


def test_what_a_file_that_cannot_be_read_may_say_is_not_missed() -> None:
    files = {
        "a.yaml": b"flows: [{name: f, process: [{type: flow-ref, settings: {flow: g}}, {type: log, colour: red}]}]\n",
        "b.yaml": b"flows:\n  - {name: g, process: [{type: log}]\n",
    }
    assert [one.split(" ")[:2] for one in said(load_members(files))] == [
        ["unknown-key", "a.yaml:1:80"],
        ["yaml", "b.yaml:3:1"],
    ]


def test_blocks_without_a_name_are_told_apart() -> None:
    flows = load(
        flow(
            "{type: log}",
            "{type: log, name: log#2}",
            "{type: log}",
            "{type: log}",
            "{type: fail, settings: {message: '1'}}",
        )
    )
    assert [block.address for block in flows.flows["f"].blocks()] == [
        "f.log",
        "f.log#2",
        "f.log#3",
        "f.log#4",
        "f.fail",
    ]
    named = load(flow("{type: log}", "{type: log, name: log}"))
    assert [block.address for block in named.flows["f"].blocks()] == ["f.log#2", "f.log"]


def test_a_file_of_flows_that_is_none_is_said(tmp_path: Path) -> None:
    folder = tmp_path / "flows"
    folder.mkdir()
    os.mkfifo(folder / "pipe.yaml")
    (folder / "loop.yaml").symlink_to("loop.yaml")
    assert [one.split(" | ")[0] for one in said(load_folder(tmp_path, folder).flows)] == [
        "yaml loop.yaml:1:1 flows/loop.yaml is a link that leads to itself",
        "yaml pipe.yaml:1:1 flows/pipe.yaml is no regular file",
    ]


def test_every_block_has_an_address() -> None:
    document = (
        flow(
            "{type: if, condition: 'true', then: [{type: log}], else: [{type: log, name: x}]}",
            "{type: switch, cases: [{when: 'true', process: [{type: log}]}, {name: b, when: 'true', process: [{type: log}]}], default: [{type: log}]}",
            "{type: foreach, name: each, items: body, body: [{type: log}]}",
            "{type: handle-errors, process: [{type: log}], error: [{type: log}]}",
        )
        + "    error: [{type: log}]\n"
    )
    flows = load(document)
    assert said(flows) == []
    assert sorted(block.address for block in flows.flows["f"].blocks() if block.type == "log") == [
        "f.each[body].log", "f.handle-errors[error].log", "f.handle-errors[process].log", "f.if[else].x", "f.if[then].log",
        "f.switch[0].log", "f.switch[b].log", "f.switch[default].log", "f[error].log",
    ]  # fmt: skip
