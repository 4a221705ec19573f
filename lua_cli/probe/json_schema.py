"""The one JSON Schema validator. In: a schema. Out: a Validator (2020-12), or a SchemaProblemError. Fetches nothing,
whatever a `$ref` names.

Formats that are checked: date, email, hostname, ipv4, ipv6, uri, uuid, and date-time and time as Python reads ISO
8601 (a zone may be missing). All other formats are notes for the reader, as the standard has it: where a model stands
behind the schema, it judges them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jsonschema_rs import Draft202012Validator

_NOTES_ONLY = (
    "duration", "hostname-idn", "idn-email", "idn-hostname", "iri", "iri-reference", "json-pointer", "regex",
    "relative-json-pointer", "uri-reference", "uri-template",
)  # fmt: skip


class SchemaProblemError(Exception):
    """A schema that is none. `path` is a JSON Pointer into it."""

    def __init__(self, message: str, path: str) -> None:
        super().__init__(message)
        self.message, self.path = message, path


def validator_of(schema: Mapping[str, Any]) -> Draft202012Validator:
    """The validator of a schema. Raises SchemaProblemError."""
    import jsonschema_rs

    formats: dict[str, Callable[[str], bool]] = {
        **dict.fromkeys(_NOTES_ONLY, lambda _text: True),
        "date-time": _is_datetime, "time": _is_time, "uuid": _is_uuid,
    }  # fmt: skip
    try:
        return jsonschema_rs.Draft202012Validator(dict(schema), validate_formats=True, formats=formats, offline=True)
    except jsonschema_rs.ValidationError as error:
        raise SchemaProblemError(_words(error), pointer(error.instance_path)) from error
    except ValueError as error:  # a pattern or a $schema that cannot be read
        raise SchemaProblemError(str(error).partition("\n")[0], "") from error


def pointer(path: list[str | int]) -> str:
    """A path as JSON Pointer."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in path)


def _words(error: Any) -> str:
    text = str(error.message).partition("\n")[0]
    if "Retrieval is disabled" in text:
        return f"a $ref names another document ({text.rpartition(' ')[2]}), and nothing is fetched"
    return text


def _is_datetime(text: str) -> bool:
    import datetime

    return _reads(datetime.datetime.fromisoformat, text)


def _is_time(text: str) -> bool:
    import datetime

    return _reads(datetime.time.fromisoformat, text)


def _is_uuid(text: str) -> bool:
    import uuid

    return _reads(uuid.UUID, text)


def _reads(parse: Callable[[str], object], text: str) -> bool:
    try:
        parse(text)
    except ValueError:
        return False
    return True
