"""Versions: the grammar and the order of Semantic Versioning 2.0."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lua_cli.errors import UsageError
from lua_cli.registry.semver import FIRST, LONGEST, Version, highest

VALID = [
    "0.0.0", "1.0.0", "1.9.0", "1.10.0", "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-0.3.7", "1.0.0-x.7.z.92", "1.0.0-x-y-z.--",
    "1.0.0-alpha+001", "1.0.0+20130313144700", "1.0.0-beta+exp.sha.5114f85", "1.0.0+21AF26D3----117B344092BD", "1.0.0-0A.is.legal",
    "99999999999999999999.99999.0", "1.0.0+0.build.1-rc.10000aaa-kk-0.1", "2.0.0-rc.1",
]  # fmt: skip


@pytest.mark.parametrize("text", VALID)
def test_a_valid_version_reads_back_as_it_was(text: str) -> None:
    assert str(Version.parse(text)) == text


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("", "it is empty"),
        ("1", "major.minor.patch"),
        ("1.0", "major.minor.patch"),
        ("1.0.0.0", "major.minor.patch"),
        ("latest", "major.minor.patch"),
        ("v2", "without the 'v'"),
        ("v1.0.0", "without the 'v'"),
        ("=1.0.0", "without the '='"),
        ("01.2.3", "no leading zero"),
        ("1.02.3", "no leading zero"),
        ("1.0.0-01", "no leading zero"),
        ("1.a.0", "are numbers"),
        ("1.0.-1", "are numbers"),
        (" 1.0.0", "are numbers"),
        ("1.0.0\n", "are numbers"),
        ("１.0.0", "are numbers"),
        ("١.0.0", "are numbers"),
        ("1.0.0-", "between dots"),
        ("1.0.0-a..b", "between dots"),
        ("1.0.0-a_b", "between dots"),
        ("1.0.0-ä", "between dots"),
        ("1.0.0+", "between dots"),
        ("1.0.0+a+b", "between dots"),
        ("1." + "9" * LONGEST + ".0", f"longer than {LONGEST}"),
    ],
)
def test_anything_else_is_refused_with_the_rule_that_it_breaks(text: str, rule: str) -> None:
    with pytest.raises(UsageError) as refused:
        Version.parse(text)
    assert rule in refused.value.message
    assert refused.value.hint


def test_the_order_is_that_of_the_specification() -> None:
    ascending = [
        "0.9.9", "1.0.0-0", "1.0.0-2", "1.0.0-11", "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta", "1.0.0-beta.2",
        "1.0.0-beta.11", "1.0.0-rc.1", "1.0.0", "1.0.1-a", "1.0.1", "1.9.0", "1.10.0", "2.0.0",
    ]  # fmt: skip
    for lower, higher in itertools.combinations(map(Version.parse, ascending), 2):
        assert lower.key < higher.key, (lower, higher)


def test_build_metadata_has_no_say_in_the_order() -> None:
    one, other = Version.parse("1.0.0+a"), Version.parse("1.0.0+b")
    assert one.key == other.key
    assert one.precedence == other.precedence == "1.0.0"
    assert one != other


@pytest.mark.parametrize(
    ("before", "after"),
    [("1.2.3", "1.2.4"), ("1.9.9", "1.9.10"), ("2.0.0-rc.1", "2.0.0"), ("1.0.0+build", "1.0.1"), ("0.0.0", "0.0.1")],
)
def test_the_next_patch(before: str, after: str) -> None:
    assert str(Version.parse(before).next_patch()) == after


def test_highest_of_none_is_none_and_the_first_version_is_1_0_0() -> None:
    assert highest([]) is None
    assert str(FIRST) == "1.0.0"


parts = st.from_regex(r"\A(0|[1-9][0-9]{0,5}|[0-9]{0,3}[a-zA-Z-][0-9a-zA-Z-]{0,5})\Z")
versions = st.builds(
    Version,
    *[st.integers(0, 10**6)] * 3,
    prerelease=st.lists(parts, max_size=4).map(tuple),
    build=st.lists(st.from_regex(r"\A[0-9a-zA-Z-]{1,6}\Z"), max_size=2).map(tuple),
)


@given(versions)
def test_every_version_reads_back_and_the_next_one_is_higher(version: Version) -> None:
    assert Version.parse(str(version)) == version
    assert version.next_patch().key > version.key


@given(st.text(max_size=30))
def test_any_other_text_is_a_version_or_a_usage_error(text: str) -> None:
    try:
        assert str(Version.parse(text)) == text
    except UsageError as error:
        assert "is not a version" in error.message
