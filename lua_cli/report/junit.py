"""Case results → JUnit XML, as CI systems read it. In: results. Out: text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol
from xml.etree.ElementTree import Element, SubElement, indent, tostring


class Tested(Protocol):
    """What the report needs of a case."""

    @property
    def file(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def line(self) -> int: ...
    @property
    def message(self) -> str | None: ...
    @property
    def detail(self) -> str: ...
    @property
    def seconds(self) -> float: ...


def junit(tested: Iterable[Tested]) -> str:
    """The report: one suite for each file."""
    by_file: dict[str, list[Tested]] = {}
    for case in tested:
        by_file.setdefault(case.file, []).append(case)
    root = Element("testsuites", _counts([case for cases in by_file.values() for case in cases]), name="lua test")
    for file, cases in by_file.items():
        suite = SubElement(root, "testsuite", _counts(cases), name=file)
        for case in cases:
            _add(suite, case)
    indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(root, encoding="unicode") + "\n"


def _counts(cases: Sequence[Tested]) -> dict[str, str]:
    failed = sum(case.message is not None for case in cases)
    seconds = sum(case.seconds for case in cases)
    return {"tests": str(len(cases)), "failures": str(failed), "errors": "0", "time": f"{seconds:.3f}"}


def _add(suite: Element, case: Tested) -> None:
    classname = case.file.removesuffix(".test.yaml").removesuffix(".test.yml").replace("/", ".")
    record = SubElement(
        suite,
        "testcase",
        name=_clean(case.name),
        classname=classname,
        file=case.file,
        line=str(case.line),
        time=f"{case.seconds:.3f}",
    )
    if case.message is not None:
        SubElement(record, "failure", message=_clean(case.message)).text = _clean(case.detail)


def _clean(text: str) -> str:
    """XML has no control characters, not even escaped."""
    return "".join(
        c if c in "\t\n" or (c >= " " and not "\ud800" <= c <= "\udfff" and c not in "\ufffe\uffff") else "\ufffd"
        for c in text
    )
