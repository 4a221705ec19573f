"""agents/: agents in Python, talked with. In: an agent's facts, its skills' artifacts, an end user, a channel. Out: a
`Conversation`, whose turns go through turns/. Each skill has a child process of its own for the whole conversation.
"""

from lua_cli.runtime.agents.conversation import PythonConversation, Setting
from lua_cli.runtime.agents.model import AgentFacts

__all__ = ["AgentFacts", "PythonConversation", "Setting"]
