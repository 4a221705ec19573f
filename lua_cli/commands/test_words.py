"""The flags of `lua test skill` in their plain form: each once, with a value where it takes one. In: words. Out: the
fields of `testing.Asked` as text. Imports nothing: an unchanged project begins its tool with this.
"""

from __future__ import annotations

_SWITCHES = {"--sandbox": "sandbox", "--network": "network", "--json": "as_json"}
_VALUES = {
    "--name": "name", "--input": "input_text", "--skill": "skill", "--timeout": "timeout", "--env-file": "env_file",
    "--user": "user",
}  # fmt: skip


def words_given(words: list[str]) -> dict[str, str] | None:
    """Field → value ("" for a switch); None for anything that the application has to judge."""
    given: dict[str, str] = {}
    rest = iter(words)
    for word in rest:
        flag, equals, value = word.partition("=")
        field = _SWITCHES.get(word) or _VALUES.get(flag)
        if field is None or field in given:
            return None
        if word in _SWITCHES:
            given[field] = ""
            continue
        following = value if equals else next(rest, None)
        if following is None or (not equals and following.startswith("--")):
            return None
        given[field] = following
    return given
