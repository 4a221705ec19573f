"""The tool `find_orders`."""

from lua_cli import LuaTool
from pydantic import BaseModel, Field

from shop.store import Status, orders_of


class FindOrdersQuery(BaseModel):
    email: str = Field(description="The e-mail address that the purchase was made with")
    status: Status | None = Field(default=None, description="Only orders with this status; leave out for all of them")


class FindOrders(LuaTool[FindOrdersQuery]):
    name = "find_orders"
    description = (
        "List a customer's orders by e-mail address, the newest first. "
        "Use when the customer has no order number at hand or asks about several orders."
    )
    input_schema = FindOrdersQuery

    async def execute(self, input: FindOrdersQuery) -> dict[str, object]:
        found = [order for order in orders_of(input.email) if input.status in (None, order.status)]
        return {
            "count": len(found),
            "orders": [
                {"order_number": order.number, "status": order.status, "items": [item.title for item in order.items]}
                for order in found
            ],
        }
