"""What the catalogue tools have in common. A subclass says what it is called, when to use it, and where its goods are.

Nobody registers this class: it has no name, so it is no tool of the project.
"""

import json
from pathlib import Path
from typing import ClassVar

from lua_cli import LuaTool
from pydantic import BaseModel, Field


class CatalogueQuery(BaseModel):
    words: str = Field(min_length=1, description="What to look for: one or two words, for example: hose")
    max_price: float | None = Field(
        default=None, gt=0, description="Only goods up to this price, in the supplier's currency"
    )


class CatalogueSearch(LuaTool[CatalogueQuery]):
    input_schema = CatalogueQuery

    catalogue: ClassVar[Path]
    currency: ClassVar[str] = "EUR"
    most: ClassVar[int] = 5

    async def execute(self, input: CatalogueQuery) -> dict[str, object]:
        wanted = input.words.lower().split()
        goods = json.loads(self.catalogue.read_text(encoding="utf-8"))
        found = [
            item
            for item in goods
            if all(word in item["title"].lower() for word in wanted)
            and (input.max_price is None or item["price"] <= input.max_price)
        ]
        return {"currency": self.currency, "count": len(found), "goods": found[: self.most]}
