"""What counts as a secret in a source."""

from __future__ import annotations

import pytest

from lua_cli.source.secrets import secrets_in

A20 = "aB3dE6gH9jK2mN5pQ8sT"


@pytest.mark.parametrize(
    ("line", "secret"),
    [
        ("key = '@'", "AKIA" + "ABCDEFGH12345678"),
        ("token = '@'", "ghp" + "_" + "a1B2" * 9),
        ("stripe = '@'", "sk" + "_live_" + "a1B2" * 6),
        ("claude = '@'", "sk-" + "ant-api03-" + A20 + A20),
        ("maps = '@'", "AIza" + "Sy" + (A20 + A20)[:33]),
        ("url = 'postgres://shop:@@db.shop.internal/x'", "kX81pQz7"),
        ("pem = '-----@-----\\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC'", "BEGIN RSA " + "PRIVATE KEY"),
    ],
)
def test_secrets(line: str, secret: str) -> None:
    text = "# first\n" + line.replace("@", secret, 1)
    (found,) = secrets_in(text)
    assert text.split("\n")[1][found.column - 1 : found.end_column - 1] == secret
    assert found.line == 2


@pytest.mark.parametrize(
    "line",
    [
        "url = 'postgres://user:password@localhost/db'",
        "url = f'postgres://{user}:{password}@db.shop.internal/x'",
        "url = 'https://user:secret@example.com'",
        "digest = 'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'",
        "a_rather_long_name_of_version_2 = 'docs/2026/11/29/a-page-with-a-long-name.html'",
        "id = '123e4567-e89b-12d3-a456-426614174000'",
    ],
)
def test_no_secrets(line: str) -> None:
    assert list(secrets_in(line)) == []
