"""The skill `orders`: its tools, and what the model should know about choosing between them."""

from lua_cli import LuaSkill

from skills.tools.check_refund import CheckRefund
from skills.tools.find_orders import FindOrders
from skills.tools.lookup_order import LookupOrder

orders = LuaSkill(
    name="orders",
    description="Where orders are, and what may be returned",
    context={
        "base": (
            "Order numbers look like A-1001 and stand on the receipt.\n"
            "- The customer gives an order number and asks where the order is: call lookup_order.\n"
            "- The customer has no order number: ask for the e-mail address of the purchase and call find_orders, "
            "then lookup_order for the order that is meant.\n"
            "- The customer wants money back: call check_refund before you promise anything.\n"
            "Say only what the tools answered. When a tool says that an order does not exist, ask the customer to "
            "check the number; do not try other numbers."
        ),
        "voice": "Read order numbers out character by character, and dates as a person would say them.",
    },
    tools=[
        LookupOrder(),
        FindOrders(),
        CheckRefund(),
    ],
)
