"""The tool `check_refund`."""

from datetime import date, timedelta

from lua_cli import LuaTool, env
from pydantic import BaseModel, Field

from shop.store import order_by_number


class RefundQuery(BaseModel):
    order_number: str = Field(description="As printed on the receipt, for example A-1001")
    on: date | None = Field(default=None, description="The day of the request; leave out for today")


class CheckRefund(LuaTool[RefundQuery]):
    name = "check_refund"
    description = (
        "Decide whether one order may be refunded, and until when. "
        "Use before promising a refund, a return or an exchange to a customer."
    )
    input_schema = RefundQuery

    async def execute(self, input: RefundQuery) -> dict[str, object]:
        order = order_by_number(input.order_number)
        if order.status == "cancelled":
            return {"refundable": False, "reason": "the order was cancelled and nothing was charged"}
        if order.delivered_on is None:
            return {"refundable": True, "amount": order.total, "reason": "the order has not been delivered yet"}
        window = int(env("RETURN_WINDOW_DAYS", "30"))
        last_day = order.delivered_on + timedelta(days=window)
        if (input.on or date.today()) > last_day:
            return {"refundable": False, "reason": f"the {window} days for returns ended on {last_day}"}
        return {"refundable": True, "amount": order.total, "until": last_day, "reason": f"within {window} days"}
