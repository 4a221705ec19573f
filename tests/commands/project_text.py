"""A project with two skills, as text that the tests of push and deploy vary."""

from __future__ import annotations

AGENT = '''"""The agent of Acme."""

from lua_cli import LuaAgent, LuaSkill, LuaTool


class GetOrder(LuaTool):
    name = "get_order"
    description = "Look up one order by its number. Use when the customer asks where an order is."
    input_schema = {"type": "object", "properties": {"number": {"type": "string"}}, "required": ["number"]}

    def execute(self, input):
        return {"number": input["number"]}


class Refund(LuaTool):
    name = "refund_order"
    description = "Pay one order back. Use when the customer wants the money back."
    input_schema = {"type": "object", "properties": {"number": {"type": "string"}}}

    def execute(self, input):
        return {"refunded": True}


orders = LuaSkill(name="orders", description="Orders", context="Use get_order for the state of orders.", tools=[GetOrder()])
refunds = LuaSkill(name="refunds", description="Refunds", context="Use refund_order.", tools=[Refund()])
agent = LuaAgent(name="acme", persona="Friendly.", skills=[orders, refunds])
'''

FILES = {"agent.py": AGENT}


def edited(word: str) -> str:
    """The project after an edit that changes both skills' content and what the model sees of `orders`."""
    return AGENT.replace("Look up one order by its number.", f"Look up one order by its number ({word}).")
