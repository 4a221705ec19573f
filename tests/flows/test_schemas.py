"""Names that a schema requires and does not describe."""

from __future__ import annotations

from typing import Any

import pytest

from lua_cli.flows.schemas import misspelt_required
from tests.flows.test_loading import AGENT, TOOL, load, said


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"required": ["orderID"], "properties": {"orderId": {}}}, [("orderID", "orderId", ())]),
        ({"required": ["order_id"], "properties": {"orderId": {}}}, [("order_id", "orderId", ())]),
        ({"required": ["city", "unit"], "properties": {"city": {}, "units": {}}}, [("unit", "units", ())]),
        ({"properties": {"a": {"items": {"anyOf": [{}, {"required": ["nmber"], "properties": {"number": {}}}]}}}},
         [("nmber", "number", ("properties", "a", "items", "anyOf", 1))]),
        ({"$defs": {"X": {"required": ["cty"], "properties": {"city": {}}}}}, [("cty", "city", ("$defs", "X"))]),
        ({"required": ["other"], "properties": {"city": {}}}, []),
        ({"required": ["city"]}, []),
        ({"required": ["city", "citys"], "properties": {"city": {}}}, []),
        ({"properties": {"required": {"type": "string"}, "properties": {"type": "object"}}}, []),
        ({"properties": {"a": {"enum": ["x"], "const": {"required": ["ab"], "properties": {"abc": 1}}}}}, []),
    ],
)  # fmt: skip
def test_a_required_name_that_is_nearly_a_property(schema: Any, expected: list[Any]) -> None:
    assert [tuple(one) for one in misspelt_required(schema)] == expected


def test_the_place_is_that_of_the_name() -> None:
    document = AGENT + TOOL.format(name="one") + """\
            inputSchema: '{"type": "object", "required": ["orderID"], "properties": {"orderId": {}}}'
          - name: two
            description: Does it.
            process: [{type: log}]
            inputSchema: |
              {"type": "object",
               "required": ["a", "orderID"],
               "properties": {"orderId": {}}}
          - name: three
            description: Does it.
            process: [{type: log}]
            inputSchema:
              properties:
                orders: {type: array, items: {type: object, required: [order_id], properties: {orderId: {}}}}
"""  # fmt: skip
    assert said(load(document)) == [
        "lua/schema-required a.yaml:11:59 inputSchema: `orderID` is required, and `properties` has no such name | did you mean `orderId`?",
        "lua/schema-required a.yaml:17:34 inputSchema: `orderID` is required, and `properties` has no such name | did you mean `orderId`?",
        "lua/schema-required a.yaml:24:72 inputSchema: `order_id` is required, and `properties` has no such name (at properties/orders/items) | did you mean `orderId`?",
    ]  # fmt: skip
