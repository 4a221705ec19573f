"""The shop's orders, read from orders.json beside this file. A real shop would ask its own system here."""

from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, TypeAdapter

Status = Literal["processing", "shipped", "delivered", "cancelled"]


class Item(BaseModel):
    title: str
    quantity: int
    price: Decimal


class Order(BaseModel):
    number: str
    email: str
    status: Status
    ordered_on: date
    delivered_on: date | None = None
    tracking: str | None = None
    items: list[Item]

    @property
    def total(self) -> Decimal:
        return sum((item.price * item.quantity for item in self.items), Decimal(0))


def load_orders() -> list[Order]:
    text = (Path(__file__).parent / "orders.json").read_text(encoding="utf-8")
    return TypeAdapter(list[Order]).validate_json(text)


def order_by_number(number: str) -> Order:
    """The order with this number. What the exception says is what the model gets to read."""
    wanted = number.strip().upper()
    for order in load_orders():
        if order.number == wanted:
            return order
    raise LookupError(f"There is no order {wanted}. Ask the customer to check the number on the receipt.")


def orders_of(email: str) -> list[Order]:
    """A customer's orders, the newest first."""
    wanted = email.strip().lower()
    mine = [order for order in load_orders() if order.email == wanted]
    return sorted(mine, key=lambda order: (order.ordered_on, order.number), reverse=True)
