"""Names that nothing reads, flags and channels that there are not, parameters that nobody gives; and what looks alike
and is right.
"""

from __future__ import annotations

import pytest

from tests.rules.projects import HEAD, WriteProject, agent, judged, lines, tool

BASE = HEAD.replace("LuaTool\n", "LuaTool, ToolContext\n", 1)


def said(root_files: dict[str, str], write_project: WriteProject) -> list[str]:
    root = write_project(root_files)
    return [
        f"{d.code.removeprefix('lua/')} {d.place.line}:{d.place.column} {d.message} | {d.help}" for d in judged(root)
    ]


@pytest.mark.parametrize(
    ("body", "found", "meant"),
    [
        ("    def conditon(self): return False\n", "conditon", "condition"),
        ("    async def condtion(self): return False\n", "condtion", "condition"),
        ("    conditoin = lambda self: False\n", "conditoin", "condition"),
        ("    voice_flag = {'ignore_on_enter'}\n", "voice_flag", "voice_flags"),
        ("    voiceFlags = {'ignore_on_enter'}\n", "voiceFlags", "voice_flags"),
        ("    voice_flgas: object = {'ignore_on_enter'}\n", "voice_flgas", "voice_flags"),
    ],
)
def test_a_name_that_is_nearly_a_known_one(body: str, found: str, meant: str, write_project: WriteProject) -> None:
    root = write_project({"agent.py": BASE + tool("A", body=body) + agent("A()")})
    (diagnostic,) = judged(root)
    assert (diagnostic.code, diagnostic.severity) == ("lua/misspelt-attribute", "warning")
    assert diagnostic.message == f"`{found}` of A is read nowhere, and LuaTool knows no such name"
    assert diagnostic.help == f"did you mean `{meant}`?"
    assert lines(root, [diagnostic])[0].split(": ", 1)[1].startswith(found)


def test_what_a_subclass_does_not_override_is_said_once_at_its_class(write_project: WriteProject) -> None:
    middle = (
        "class Middle(LuaTool):\n    description = 'Tell all about the subject when the customer asks for it.'\n"
        "    input_schema = In\n    def execute(self, input: In): return 1\n\n"
        "class Own(Middle):\n    decription = 'Tell about leaves.'\n    input_schma = dict\n    def exceute(self, input): return 2\n\n"
        "class A(Own):\n    name = 'a'\n\nclass B(Own):\n    name = 'b'\n    description = 'List what grows in this garden.'\n\n"
    )
    found = said({"agent.py": BASE + middle + agent("A()", "B()")}, write_project)
    assert found == [
        f"misspelt-attribute {line} `{name}` of Own is read nowhere, and LuaTool knows no such name | did you mean `{meant}`?"
        for line, name, meant in (
            ("13:5", "decription", "description"),
            ("14:5", "input_schma", "input_schema"),
            ("15:9", "exceute", "execute"),
        )
    ]


@pytest.mark.parametrize(
    "body",
    [
        "    conditions = ['a']\n    def more(self): return self.conditions\n",
        "    conditions = ['a']\n",
        "    descriptions = {'de': 'x'}\n",
        "    description_de = 'x'\n",
        "    names = ('a', 'b')\n",
        "    def pre_execute(self): return 1\n",
        "    def execute_all(self): return 1\n",
        "    def executor(self): return 1\n",
        "    _condition = True\n",
        "    __execute = None\n",
        "    def conditon(self): return True\n    def more(self): return self.conditon()\n",
        "    def conditon(self): return True\n    def more(self): return getattr(self, 'conditon')\n",
        "    def conditon(self): return True\n    condition = conditon\n",
        "    conditon = True\n    def condition(self): return True\n",
        "    input_model = In\n    output_schema = dict\n    rename = 1\n    username = 'x'\n    timeout = 5\n",
    ],
)
def test_a_name_of_its_own_is_left_alone(body: str, write_project: WriteProject) -> None:
    root = write_project({"agent.py": BASE + tool("A", body=body) + agent("A()")})
    assert judged(root) == []


def test_a_name_that_another_module_reads_is_its_own(write_project: WriteProject) -> None:
    reader = "def open_now(tool):\n    return tool.conditon()\n"
    source = "import reader\n" + BASE + tool("A", body="    def conditon(self): return True\n") + agent("A()")
    assert said({"agent.py": source, "reader.py": reader}, write_project) == []


def test_a_name_that_a_package_asks_for_is_its_own(write_project: WriteProject) -> None:
    package = "from lua_cli import LuaTool\nclass Base(LuaTool):\n    def conditon(self): return True\n    def condition(self): return self.conditon()\n"
    root = write_project({
        ".venv/pyvenv.cfg": "",
        ".venv/lib/python3.11/site-packages/basis/__init__.py": package,
        "agent.py": BASE + "from basis import Base\n" + tool("A", base="Base", body="    def conditon(self): return 1\n") + agent("A()"),
    })  # fmt: skip
    assert [d for d in judged(root) if d.code == "lua/misspelt-attribute"] == []


def test_classes_that_nothing_registers_are_left_alone(write_project: WriteProject) -> None:
    other = "class Other:\n    conditon = 1\n\n"
    assert said({"agent.py": BASE + other + tool("A") + agent("A()")}, write_project) == []


FLAGS = "there are `ignore_on_enter` and `disallow_interruption`"


@pytest.mark.parametrize(
    ("flags", "expected"),
    [
        ('{"ignore_on_entr"}', ["`voice_flags` of A has the unknown flag 'ignore_on_entr' | did you mean `ignore_on_enter`?"]),
        ('frozenset({"ignoreOnEnter", "disallow_interruption"})', ["`voice_flags` of A has the unknown flag 'ignoreOnEnter' | did you mean `ignore_on_enter`?"]),
        ('{"quiet", "disallow_interuption"}', [
            "`voice_flags` of A has the unknown flag 'disallow_interuption' | did you mean `disallow_interruption`?",
            f"`voice_flags` of A has the unknown flag 'quiet' | {FLAGS}",
        ]),
        ('"ignore_on_enter"', ['`voice_flags` of A is no set of flags, and none of them counts | write a set: voice_flags = {"ignore_on_enter"}']),
        ('{"ignore_on_enter": True}', ['`voice_flags` of A is no set of flags, and none of them counts | write a set: voice_flags = {"ignore_on_enter"}']),
        ('{"ignore_on_enter", "disallow_interruption"}', []),
        ("frozenset()", []),
        ("set()", []),
    ],
)  # fmt: skip
def test_voice_flags(flags: str, expected: list[str], write_project: WriteProject) -> None:
    found = said({"agent.py": BASE + tool("A", body=f"    voice_flags = {flags}\n") + agent("A()")}, write_project)
    assert found == [f"voice-flags 11:19 {one}" for one in expected]


def test_voice_flags_of_a_flow_tool(write_project: WriteProject) -> None:
    source = (
        BASE
        + "from lua_cli import FlowTool\n"
        + agent(
            'FlowTool(flow="f", name="look", description="Look up one order when the customer names it.", voice_flags={"ignore_on_entry"})'
        )
    )
    found = [one for one in said({"agent.py": source}, write_project) if one.startswith("voice-flags")]
    assert len(found) == 1
    assert found[0].endswith(
        "`voice_flags` of FlowTool(look) has the unknown flag 'ignore_on_entry' | did you mean `ignore_on_enter`?"
    )


@pytest.mark.parametrize(
    ("persona", "expected"),
    [
        ('{"base": "x", "phone": "y"}', ["`phone`", "`voice`"]),
        ('{"base": "x", "vioce": "y"}', ["`vioce`", "`voice`"]),
        ('{"base": "x", "email": "y"}', ["`email`", ""]),
        ('{"base": "x", "voice": "y", "text": "z"}', None),
        ('"x"', None),
    ],
)
def test_channels_of_a_persona(persona: str, expected: list[str] | None, write_project: WriteProject) -> None:
    source = BASE + tool("A") + agent("A()").replace('persona="p"', f"persona={persona}")
    found = said({"agent.py": source}, write_project)
    if expected is None:
        assert found == []
        return
    channel, meant = expected
    way_out = f"did you mean {meant}?" if meant else "write `base`, `voice` or `text`"
    assert found == [
        f"persona-channel 16:36 the agent `a` has a persona with the unknown channel {channel} (there are base, voice and text) | {way_out}"
    ]


def execute(parameters: str, write_project: WriteProject) -> list[str]:
    source = BASE + tool("A").replace("execute(self, input: In)", f"execute({parameters})") + agent("A()")
    return [one.split(" | ")[0].partition(" ")[2] for one in said({"agent.py": source}, write_project)]


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ("self, input: In, context: ToolContext | None = None", "11:34 `context` of A.execute gets no voice session: a parameter with a default must be called `ctx`"),
        ("self, input: In, context=None", "11:34 `context` of A.execute gets no voice session: a parameter with a default must be called `ctx`"),
        ("self, input: In, c: 'ToolContext | None' = None", "11:34 `c` of A.execute gets no voice session: a parameter with a default must be called `ctx`"),
        ("self, input: In, *, ctx: ToolContext | None = None", "11:37 `ctx` of A.execute gets no voice session: it is given by position, and this one takes its name alone"),
        ("self, input: In, more=1, ctx=None", "11:42 `ctx` of A.execute gets no voice session: it is given as the second parameter"),
        ("self, input: In, *args, ctx=None", "11:41 `ctx` of A.execute gets no voice session: beside `*` parameters, nothing but the input is given"),
    ],
)  # fmt: skip
def test_a_parameter_that_gets_no_session(parameters: str, expected: str, write_project: WriteProject) -> None:
    assert execute(parameters, write_project) == [expected]


@pytest.mark.parametrize(
    "parameters",
    [
        "self, input: In",
        "self, input: In, ctx: ToolContext | None = None",
        "self, input: In, ctx=None",
        "self, input: In, ctx",
        "self, input: In, context: ToolContext",
        "self, input: In, limit: int = 10",
        "self, input: In, limit=10",
        "self, input: In, session: int = 1",
        "self, input: In, *, dry=False",
        "self, input: In, **more",
    ],
)
def test_other_parameters_of_execute_are_left_alone(parameters: str, write_project: WriteProject) -> None:
    assert execute(parameters, write_project) == []


OWN = "def own(function):\n    return lambda self: function(self, 1)\n\n"


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("    def condition(self, user): return True\n", "14:25 A.condition is called without arguments, and needs `user`"),
        ("    async def condition(self, user, *, now): return True\n", "14:31 A.condition is called without arguments, and needs `user` and `now`"),
        ("    @staticmethod\n    def condition(user): return True\n", "15:19 A.condition is called without arguments, and needs `user`"),
        ("    condition = lambda self, user: True\n", "14:30 A.condition is called without arguments, and needs `user`"),
        ("    def condition(self): return True\n", None),
        ("    def condition(self, user=None, *more, **rest): return True\n", None),
        ("    def condition(*args): return True\n", None),
        ("    @classmethod\n    def condition(cls): return True\n", None),
        ("    condition = lambda self: True\n", None),
        ("    @own\n    def condition(self, user): return True\n", None),
    ],
)  # fmt: skip
def test_a_condition_is_called_without_arguments(
    condition: str, expected: str | None, write_project: WriteProject
) -> None:
    source = BASE + OWN + tool("A", body=condition) + agent("A()")
    found = [
        one.split(" | ")[0].removeprefix("condition-arguments ") for one in said({"agent.py": source}, write_project)
    ]
    assert found == ([expected] if expected else [])


@pytest.mark.parametrize(
    ("given", "needed"),
    [
        ("needs", "`user`"),
        ("Gate.is_open", "`self`"),
        ("gate.needs_more", "`more`"),
        ("gate.is_open", None),
        ("ready", None),
        ("optional", None),
        ("Gate.always", None),
    ],
)
def test_the_condition_of_a_skill(given: str, needed: str | None, write_project: WriteProject) -> None:
    functions = (
        "def needs(user): return True\ndef ready(): return True\nasync def optional(user=None): return True\n"
        "class Gate:\n    def is_open(self): return True\n    def needs_more(self, more): return True\n"
        "    @staticmethod\n    def always(): return True\ngate = Gate()\n"
    )
    source = BASE + functions + tool("A") + agent("A()").replace('context="Help', f'condition={given}, context="Help')
    found = said({"agent.py": source}, write_project)
    if needed is None:
        assert found == []
    else:
        assert [one.partition(" ")[2].partition(" ")[2] for one in found] == [
            f"the condition of the skill `s` is called without arguments, and needs {needed} | "
            "name a function without parameters: without an answer the skill is never offered"
        ]


SHARED = """\
class Shared(LuaTool):
    endpoint = "https://shop.example"
    region: str
    input_schema = In
    description = "Tell all about the subject when the customer asks for it."
    def headers(self): return {}
    def execute(self, input: In): return [self.endpoint, self.region, self.headers()]

"""


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (
            "    endpiont = 'https://acme.example'\n",
            "`endpiont` of A is read nowhere, and its base Shared has `endpoint`",
        ),
        ("    regoin = 'eu'\n", "`regoin` of A is read nowhere, and its base Shared has `region`"),
        ("    def header(self): return {'a': 1}\n", "`header` of A is read nowhere, and its base Shared has `headers`"),
        ("    endpiont = 'x'\n    def headers(self): return {'a': self.endpiont}\n", ""),
        ("    endpoint = 'x'\n    endpiont = 'y'\n", ""),
        ("    endpoints = ['x', 'y']\n", ""),
        ("    _regoin = 'eu'\n    colour = 'red'\n", ""),
    ],
)
def test_a_name_that_is_nearly_one_of_a_base_of_the_project(body: str, found: str, write_project: WriteProject) -> None:
    """What a shared base is made for: a subclass overrides its fields, and works with the base's where it does not."""
    own = f"class A(Shared):\n    name = 'a'\n    region = 'us'\n{body}\n".replace(
        "    region = 'us'\n    regoin", "    regoin"
    )
    root = write_project({"agent.py": BASE + SHARED + own + agent("A()")})
    assert [each.message for each in judged(root)] == ([found] if found else [])
