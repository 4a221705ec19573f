"""The tool `get_opening_hours`."""

from typing import Literal

from lua_cli import LuaTool
from pydantic import BaseModel, Field

HOURS = {
    "monday": None,
    "tuesday": ("09:00", "18:00"),
    "wednesday": ("09:00", "18:00"),
    "thursday": ("09:00", "20:00"),
    "friday": ("09:00", "18:00"),
    "saturday": ("10:00", "16:00"),
    "sunday": None,
}


class OpeningHoursQuery(BaseModel):
    day: Literal["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"] = Field(
        description="The day of the week that the customer asks about"
    )


class GetOpeningHours(LuaTool[OpeningHoursQuery]):
    name = "get_opening_hours"
    description = (
        "Look up the shop's opening hours on one day of the week. "
        "Use when the customer asks whether, when or how long the shop is open."
    )
    input_schema = OpeningHoursQuery

    async def execute(self, input: OpeningHoursQuery) -> dict[str, object]:
        hours = HOURS[input.day]
        if hours is None:
            return {"day": input.day, "open": False}
        opens, closes = hours
        return {"day": input.day, "open": True, "opens": opens, "closes": closes}
