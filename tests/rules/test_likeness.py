"""Which names and texts count as nearly the same."""

from __future__ import annotations

import pytest

from lua_cli.rules.judging.likeness import alike_names, alike_texts


@pytest.mark.parametrize(
    "names",
    [
        ("get_order", "get_orders"),
        ("get_order", "order_get"),
        ("get_order", "fetch_order"),
        ("get_order", "look_up_order"),
        ("search_docs", "searchDocs"),
        ("search_docs", "serach_docs"),
        ("cancel_booking", "cancell_booking"),
        ("delete_category", "remove_categories"),
    ],
)
def test_alike(names: tuple[str, str]) -> None:
    assert alike_names(["unrelated_tool", *names]) == [list(names)]


@pytest.mark.parametrize(
    "names",
    [
        ("get_order", "set_order"),
        ("import_data", "export_data"),
        ("enable_alerts", "disable_alerts"),
        ("step_1", "step_2"),
        ("report_2023", "report_2024"),
        ("get_order", "get_order_status"),
        ("send_mail", "send_male_report"),
    ],
)
def test_not_alike(names: tuple[str, str]) -> None:
    assert alike_names(names) == []


def test_texts_with_the_same_words_are_alike_whatever_their_order() -> None:
    text = "Look up where an order is by its number, for a customer who asks when it will arrive"
    texts = {"a": text, "b": text.upper() + "!", "c": "Cancel an order that has not been sent yet", "d": text + " soon"}
    assert alike_texts(texts) == [["a", "b", "d"]]


def test_texts_that_differ_in_what_matters_are_not_alike() -> None:
    assert alike_texts({"gold": "Look up the price of gold today", "silver": "Look up the price of silver today"}) == []
    assert alike_texts({"step_1": "Do the step one.", "step_2": "Do the step one."}) == []
