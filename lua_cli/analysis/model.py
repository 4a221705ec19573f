"""What the analysis says about a project: the value that rules judge, `bundle/` packs and `report/` prints.

Everything here is plain data about the user's source; nothing in it was imported or run. Three-valued answers are
`True`, `False`
and `None` (cannot be known without running). Names of classes are dotted: `skills.tools.search.AcmeSearchTool` is
module
`skills.tools.search`, qualified name `AcmeSearchTool`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from lua_cli.diagnostics import Finding as Finding
from lua_cli.diagnostics import Place
from lua_cli.records import field, record


@record(frozen=True)
class Attribute:
    """A value as the class, skill or agent finally has it.

    state   "known": `value` is the constant (str, int, bool, None, dict, list, frozenset of str …);
            "reference": it is a class or function of the source, `value` is its dotted name;
            "dynamic": only a run can tell, `reason` says why in words ("`name` is a property");
            "missing": nothing gives it a value (`value` is None).
    place   where the value stands (the right-hand side), in whichever file assigns it; None when missing
    owner   dotted name of the class of the MRO that gives it; None for skills and agents, and when missing
    """

    name: str
    state: Literal["known", "reference", "dynamic", "missing"]
    value: object = None
    place: Place | None = None
    owner: str | None = None
    reason: str = ""

    @property
    def text(self) -> str | None:
        """The value when it is a known string, else None."""
        return self.value if self.state == "known" and isinstance(self.value, str) else None


@record(frozen=True)
class Argument:
    """One argument of a call, as written: `text` is its source, `keyword` its name, `star` is "", "*" or "**"."""

    text: str
    place: Place
    keyword: str | None = None
    star: Literal["", "*", "**"] = ""


@record(frozen=True)
class Parameter:
    """One parameter of a function, without `self`: `annotation` is its source, "" without one."""

    name: str
    kind: Literal["positional-only", "positional", "*", "keyword-only", "**"]
    place: Place
    annotation: str = ""
    has_default: bool = False

    @property
    def required(self) -> bool:
        """Whether a call must give it."""
        return not self.has_default and self.kind not in ("*", "**")


@record(frozen=True)
class ClassInfo:
    """A class seen in a reached module.

    place        the class's name in its class statement
    statement    the whole statement, decorators included
    is_tool      derives from `lua_cli.LuaTool`
    mro          dotted names, the class first, in Python's order, up to but without `object`; None when a base is
    unknown
    bases_text   the bases as written
    abstract     has abstract members left (`abstract_members` names them, with the class that asks for each)
    instantiable can be built with no arguments; `required` names the parameters that prevent it
    parameters   the constructor's parameters that take positional arguments, in order, without `self`
    accepts      how constructor arguments would act: parameter name → field of the instance that it sets, where known
    attributes   name, description, input_schema, execute, condition, voice_flags: always these keys; `flow` beside them
                 for one `FlowTool(…)`, which is told apart by its call as others are by their class
    input_annotation   source of the annotation on the first parameter of the `execute` that the class has; None without
    one
    signatures   parameters of the `execute` and the `condition` that the class has, where they are known: what a
                 decorator made is not
    members      what the class body itself binds (methods and assignments): name → place of the name
    annotated    what the class body itself only annotates (`path: str`): name → place of the name
    look_alike   not a tool, but has `name` and `execute`: the author probably forgot the base
    changeable   of the names that the class body binds, those that are no constant, function or class in the end
    written      which of name and description the body of a tool's class writes, as a text by itself
    plain_fields all that the class body annotates are the built-in `str`, `int`, `float`, `bool` or `bytes`
    """

    dotted: str
    module: str
    qualname: str
    place: Place
    statement: Place
    is_tool: bool | None
    abstract: bool | None
    instantiable: bool | None
    mro: tuple[str, ...] | None = None
    bases_text: tuple[str, ...] = ()
    abstract_members: tuple[tuple[str, str], ...] = ()
    required: tuple[str, ...] = ()
    parameters: tuple[str, ...] = ()
    accepts: Mapping[str, str] = field(default_factory=dict)
    attributes: Mapping[str, Attribute] = field(default_factory=dict)
    input_annotation: str | None = None
    signatures: Mapping[str, tuple[Parameter, ...]] = field(default_factory=dict)
    members: Mapping[str, Place] = field(default_factory=dict)
    annotated: Mapping[str, Place] = field(default_factory=dict)
    look_alike: bool = False
    changeable: tuple[str, ...] = ()
    written: tuple[str, ...] = ()
    plain_fields: bool = False

    @property
    def name(self) -> str | None:
        """The tool's name when it is a known string."""
        attribute = self.attributes.get("name")
        return attribute.text if attribute else None

    @property
    def flow(self) -> Attribute | None:
        """The flow of a flow tool; None for a class."""
        return self.attributes.get("flow")


@record(frozen=True)
class ToolUse:
    """One element of a skill's tools, at the place where it is written.

    form       "instance": a call of `class_dotted` (arguments in `arguments`); "class": the class itself, not called;
               "other": a value that is known and no tool (`what` says what: "a str", "a function"); "unresolved": not
               known, `what` says why.
    expression the element's source; `place` its span; `skill_place` the place of the skill that holds it
    call       the call that makes the instance, which may stand in another file than `place`; None for other forms
    maybe      only one of several possible values, or under a condition that only a run decides
    variable   the name that the instance was bound to before, where there is one
    """

    form: Literal["instance", "class", "other", "unresolved"]
    place: Place
    expression: str
    class_dotted: str | None = None
    arguments: tuple[Argument, ...] = ()
    what: str = ""
    maybe: bool = False
    variable: str | None = None
    call: Place | None = None


@record(frozen=True)
class Entry:
    """A function or method in a module of the project: what a skill's condition compiles to. `required` are the
    parameters that a call must give."""

    module: str
    attribute: str
    place: Place
    required: tuple[str, ...] = ()


@record(frozen=True)
class SkillInfo:
    """One `LuaSkill(...)` call.

    place       the callee of the call (`LuaSkill`); `call` is the whole call
    registered  some agent of the entry holds it
    module      the module in which the call stands; `variable` the name that it is bound to there
    attributes  name, description, context, instructions: always these keys. `context` is known as a str or as a dict
                {base, voice, text}; `instructions` as the str written (a path relative to the file that names it)
    condition   Entry, or None without one; `condition_unknown` says why a given one could not be resolved
    folder      the argument of `from_folder`, a path relative to the file that names it; "dynamic" when it cannot be
                used, of which a finding tells; None for other skills
    tools       in order; a spread or unresolved list is one ToolUse with form "unresolved"
    """

    place: Place
    call: Place
    module: str
    registered: bool
    attributes: Mapping[str, Attribute]
    tools: tuple[ToolUse, ...] = ()
    variable: str | None = None
    condition: Entry | None = None
    condition_unknown: str = ""
    folder: Attribute | None = None

    @property
    def name(self) -> str | None:
        return self.attributes["name"].text


@record(frozen=True)
class AgentInfo:
    """One `LuaAgent(...)` call that the entry module binds. `skills` are positions in `Analysis.skills`, in order.

    attributes  name, persona, model, max_iterations, mcp_servers: always these keys
    """

    place: Place
    call: Place
    module: str
    variable: str | None
    attributes: Mapping[str, Attribute]
    skills: tuple[int, ...] = ()

    @property
    def name(self) -> str | None:
        return self.attributes["name"].text


@record(frozen=True)
class Analysis:
    """The whole answer. `modules` maps each first-party module that was reached to its path, relative to the project's
    root. `hands_on`: code that is not read may have asked a tool for its name or description."""

    entry: str
    agents: tuple[AgentInfo, ...]
    skills: tuple[SkillInfo, ...]
    classes: Mapping[str, ClassInfo]
    findings: tuple[Finding, ...]
    modules: Mapping[str, str]
    hands_on: bool = True

    def tool_class(self, use: ToolUse) -> ClassInfo | None:
        """The class behind an element, when it is one of the project's or of a package that was read."""
        return self.classes.get(use.class_dotted) if use.class_dotted else None
