"""providers/: what model providers accept as a tool. In: a tool's name, description and JSON Schema. Out: what a
provider would refuse, and the schema in its dialect. Knows no network and no project.
"""

from lua_cli.rules.providers.dialects import Dialect, dialect_of
from lua_cli.rules.providers.limits import PROVIDERS, Limits, checked_providers

__all__ = ["PROVIDERS", "Dialect", "Limits", "checked_providers", "dialect_of"]
