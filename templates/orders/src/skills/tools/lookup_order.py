"""The tool `lookup_order`."""

from lua_cli import LuaTool
from pydantic import BaseModel, Field

from shop.store import order_by_number


class OrderQuery(BaseModel):
    order_number: str = Field(description="As printed on the receipt, for example A-1001")


class LookupOrder(LuaTool[OrderQuery]):
    name = "lookup_order"
    description = (
        "Look up the shipping status of one order by its order number. "
        "Use when the customer asks where an order is, whether it was sent, or when it arrives."
    )
    input_schema = OrderQuery

    async def execute(self, input: OrderQuery) -> dict[str, object]:
        order = order_by_number(input.order_number)
        return {
            "order_number": order.number,
            "status": order.status,
            "ordered_on": order.ordered_on,
            "delivered_on": order.delivered_on,
            "tracking": order.tracking,
        }
