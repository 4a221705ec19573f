"""Secrets in what is bundled: found in every file, never shown; what only speaks of secrets is left alone."""

from __future__ import annotations

import base64
import importlib
import re
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lua_cli.bundle import find_secrets
from lua_cli.source.secrets import DETECTORS, looks_like_one

# Put together here, so that no scanner takes this file for a leak.
RANDOM = "q9Zr4tLw82KdPb7Xs1VnMc6Yg3HjTf5RaE0uWkQzBi8oDlGp2xNyJvSe4ChA"
BODY = RANDOM.lower()
PARTS = (b'{"alg":"HS256"}', b'{"sub":"42"}', b"signature0")
KEY_BLOCK = "-----BEGIN " + "PRIVATE KEY-----\\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\\n"

TOKENS = {
    "AWS Access Key": "AKIA" + "Q3ZRT7LWX2KDPB9M",
    "GitHub Token": "ghp_" + RANDOM[:36],
    "GitLab Token": "glpat-" + RANDOM[:20],
    "Slack Token": "xoxb-" + "3141592653-" + BODY[:24],
    "Stripe Access Key": "sk_live_" + RANDOM[:24],
    "SendGrid API Key": "SG." + RANDOM[:22] + "." + RANDOM[:43],
    "JSON Web Token": ".".join(base64.urlsafe_b64encode(part).decode().rstrip("=") for part in PARTS),
    "Twilio API Key": "SK" + BODY[:32],
    "Private Key": KEY_BLOCK,
    "API key of a model provider": "sk-live-" + RANDOM[:24],
    "OpenAI API Key": "sk-proj-" + RANDOM[:40],
    "Google API Key": "AIza" + RANDOM[:35],
    "Hugging Face Token": "hf_" + RANDOM[:34],
}


@pytest.mark.parametrize(("kind", "value"), TOKENS.items(), ids=TOKENS)
@pytest.mark.parametrize("line", ['KEY = "{}"', '{{"key": "{}"}}', "token: {}", "curl -H 'Authorization: Bearer {}'"])
def test_tokens_of_a_known_form(kind: str, value: str, line: str) -> None:
    text = "# a file\n" + line.format(value) + "\n"
    [[secret]] = find_secrets({"x.py": text.encode()}).values()
    assert (secret.kind, secret.line) == (kind, 2)
    assert value[6:] not in repr(secret)


@pytest.mark.parametrize(
    "line",
    [
        'token = env("SHOP_TOKEN")',
        'token_name = "authorization"',
        'password = "your-password-1234"',
        'api_key = "<put-your-key-here-1>"',
        'api_key = "sk-xxxxxxxxxxxxxxxxxxxxxxxx"',
        'key = "AKIAIOSFODNN7EXAMPLE"',
        'description = "The secret of a good soup"',
        'if "BEGIN ' + 'PRIVATE KEY" in text:',
        'sid = "AC' + BODY[:32] + '"',
        'url = "https://example.com/oauth2/token"',
        'digest = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"',
        'uuid = "0b8f1c9e-5f5b-4f4e-9a54-0d3f2b6f7a11"',
        'name = "desk-and-chairs-for-small-offices-2024"',
        f'KEY = "sk_live_{RANDOM[:24]}"  # pragma: allowlist secret',
        f'# pragma: allowlist nextline secret\nKEY = "sk_live_{RANDOM[:24]}"',
    ],
)
def test_what_is_no_secret_is_left_alone(line: str) -> None:
    assert find_secrets({"x.py": line.encode()}) == {}


def test_data_files_and_bytes_that_are_no_text_are_looked_through() -> None:
    account = f'{{"type": "service_account",\n"private_key": "{KEY_BLOCK}"}}'
    binary = b"\xff\x00" + TOKENS["GitHub Token"].encode() + b"\x00"
    found = find_secrets({"x.bin": binary, "svc.json": account.encode(), "y.txt": b"fine"})
    assert {name: [(one.line, one.kind) for one in secrets] for name, secrets in found.items()} == {
        "svc.json": [(2, "Private Key")],
        "x.bin": [(1, "GitHub Token")],
    }


def test_a_secret_in_a_very_long_line_is_found_in_no_time() -> None:
    """A file without line ends: a detector's own patterns take minutes for some megabytes of it."""
    text = "x" * 1_000_000 + ' "' + TOKENS["Stripe Access Key"] + '" ' + "y" * 1_000_000
    [[secret]] = find_secrets({"x.json": text.encode()}).values()
    assert (secret.kind, secret.line, secret.column) == ("Stripe Access Key", 1, 1_000_003)


def test_places_and_fingerprints() -> None:
    value = TOKENS["Stripe Access Key"]
    text = f'a = 1\n    KEY = "{value}"\nOTHER = "{value}"\n'
    [[secret]] = find_secrets({"x.py": text.encode()}).values()
    assert (secret.line, secret.column, secret.end_column) == (2, 12, 12 + len(value))
    [[moved]] = find_secrets({"x.py": b"\n\n" + text.encode()}).values()
    assert moved.fingerprint == secret.fingerprint
    assert re.fullmatch(r"[0-9a-f]{12}", secret.fingerprint)
    [[elsewhere]] = find_secrets({"y.py": text.encode()}).values()
    assert elsewhere.fingerprint != secret.fingerprint


@pytest.mark.parametrize("name", DETECTORS)
def test_the_first_look_misses_nothing_that_a_detector_would_find(name: str) -> None:
    module = importlib.import_module(f"detect_secrets.plugins.{name}")
    own = [one for one in vars(module).values() if getattr(one, "__module__", "") == module.__name__]
    [detector] = [one for one in own if hasattr(one, "secret_type")]
    ascii_only = st.characters(min_codepoint=32, max_codepoint=126)

    for pattern in detector.denylist:

        @settings(max_examples=25, deadline=None, database=None)
        @given(st.from_regex(pattern, alphabet=ascii_only))
        def check(text: str) -> None:
            assert looks_like_one(text)

        check()


def test_nothing_is_imported_for_code_without_secrets() -> None:
    code = (
        "import sys; from lua_cli.bundle import find_secrets\n"
        "find_secrets({'x.py': b'import os\\nkey = os.environ[\"KEY\"]\\n'})\n"
        "print('detect_secrets' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
