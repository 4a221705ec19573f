"""A copy of an artifact in an OCI registry, by digest. In: `oci://host/repository` and an artifact. Out: the reference
of what is there now, `oci://host/repository@sha256:…`.

A mirror, never an index: no tag is made, as tags move silently. The artifact is the one layer of a manifest that is
named by its own digest. What is there already is not sent again, and what was sent is looked at again.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote, urljoin, urlsplit

from lua_cli.bundle.canonical import digest_of
from lua_cli.errors import AuthError, ForbiddenError, LuaError, UnavailableError, UsageError
from lua_cli.project.credentials import normal_address
from lua_cli.registry.network import TRY_AGAIN, one_line, origin
from lua_cli.registry.sending import Answer, Policy, Request, Sender

ARTIFACT_TYPE = "application/vnd.lua-cli.skill.v1"
LAYER_TYPE = "application/vnd.lua-cli.luapkg.v1"
_MANIFEST_TYPE = "application/vnd.oci.image.manifest.v1+json"
_EMPTY_TYPE, _EMPTY = "application/vnd.oci.empty.v1+json", b"{}"
_PART = r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*"
_REPOSITORY = re.compile(rf"{_PART}(?:/{_PART})*")
_LIMIT = 4 * 1024 * 1024
_LOCAL = ("localhost", "127.0.0.1", "::1")


class OciMirror:
    """A repository of an OCI registry. User and password come from `docker login`, where there was one."""

    def __init__(self, target: str, *, policy: Policy | None = None, home: Path | None = None) -> None:
        self.target = target
        host, self._repository = _parsed(target)
        local = (urlsplit(f"//{host}").hostname or "") in _LOCAL
        self._address = normal_address(f"{'http' if local else 'https'}://{host}", "--to")
        self._login = _stored_login(home or Path.home(), host)
        self._token = f"Basic {self._login}" if self._login else ""
        self._sender = Sender(self._address, None, policy)

    def close(self) -> None:
        self._sender.close()

    def copy(self, content: bytes, annotations: Mapping[str, str]) -> str:
        """Bring an artifact there; gives its reference."""
        layer = self._keep(content, LAYER_TYPE)
        document = {
            "schemaVersion": 2,
            "mediaType": _MANIFEST_TYPE,
            "artifactType": ARTIFACT_TYPE,
            "config": self._keep(_EMPTY, _EMPTY_TYPE),
            "layers": [layer],
            "annotations": dict(sorted(annotations.items())),
        }
        manifest = json.dumps(document, separators=(",", ":")).encode()
        digest = digest_of(manifest)
        path = f"manifests/{digest}"
        self._expect(self._send("PUT", path, manifest, {"Content-Type": _MANIFEST_TYPE}), 201)
        kept = self._expect(self._send("GET", path, headers={"Accept": _MANIFEST_TYPE}), 200)
        if digest_of(kept.body) != digest:
            raise LuaError(f"{self.target} did not keep what was sent", hint="tell who runs it")
        return f"{self.target}@{digest}"

    def _keep(self, content: bytes, media: str) -> dict[str, object]:
        """A blob, there under its digest; gives its descriptor."""
        digest = digest_of(content)
        if self._send("HEAD", f"blobs/{digest}").status != 200:
            opened = self._expect(self._send("POST", "blobs/uploads/", b""), 202)
            place = urljoin(self._url("blobs/uploads/"), opened.headers.get("location", ""))
            place += ("&" if "?" in place else "?") + f"digest={quote(digest, safe='')}"
            octets = {"Content-Type": "application/octet-stream"}
            self._expect(self._request("PUT", place, content, octets), 201)
            self._expect(self._send("HEAD", f"blobs/{digest}"), 200)
        return {"mediaType": media, "digest": digest, "size": len(content)}

    def _url(self, path: str) -> str:
        return f"{self._address}/v2/{self._repository}/{path}"

    def _send(
        self, method: str, path: str, content: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> Answer:
        return self._request(method, self._url(path), content, headers or {})

    def _request(self, method: str, url: str, content: bytes | None, headers: Mapping[str, str]) -> Answer:
        """One request; where the registry asks for a token, one is fetched and the request sent again."""
        answer = self._sender.send(Request(method, url, _LIMIT, self._authorised(url, headers), content))
        challenge = answer.headers.get("www-authenticate", "")
        if answer.status == 401 and challenge.lower().startswith("bearer "):
            self._token = self._fetched_token(challenge)
            answer = self._sender.send(Request(method, url, _LIMIT, self._authorised(url, headers), content))
        return answer

    def _authorised(self, url: str, headers: Mapping[str, str]) -> dict[str, str]:
        """A login goes to its own registry alone."""
        own = origin(url) == origin(self._address)
        return {**headers, **({"Authorization": self._token} if self._token and own else {})}

    def _fetched_token(self, challenge: str) -> str:
        fields = dict(re.findall(r'(\w+)="([^"]*)"', challenge))
        realm = fields.get("realm", "")
        if urlsplit(realm).scheme != "https" and origin(realm) != origin(self._address):
            raise AuthError(f"{self.target} sends us for a token to a place without encryption")
        query = f"service={quote(fields.get('service', ''))}&scope=repository:{self._repository}:pull,push"
        headers = {"Authorization": f"Basic {self._login}"} if self._login else {}
        answer = self._sender.send(Request("GET", f"{realm}?{query}", _LIMIT, headers))
        try:
            document = json.loads(answer.body)
            return f"Bearer {document.get('token') or document['access_token']}"
        except (ValueError, KeyError, AttributeError):
            raise self._refused(answer) from None

    def _expect(self, answer: Answer, status: int) -> Answer:
        if answer.status != status:
            raise self._refused(answer)
        return answer

    def _refused(self, answer: Answer) -> LuaError:
        said = f"{self.target} refused the copy (status {answer.status}): {one_line(_said(answer))}".rstrip(": ")
        if answer.status == 401:
            return AuthError(said, hint=f"docker login {urlsplit(self._address).netloc}")
        if answer.status == 403:
            return ForbiddenError(said, hint="the login may not write there")
        if answer.status == 429 or answer.status >= 500:
            return UnavailableError(said, hint=TRY_AGAIN)
        return LuaError(said, hint="the registry itself has the version; push again to copy it once more")


def _parsed(target: str) -> tuple[str, str]:
    host, _, repository = target.removeprefix("oci://").partition("/")
    if not target.startswith("oci://") or not host or "@" in host or not _REPOSITORY.fullmatch(repository):
        raise UsageError(
            f"--to cannot be {target.rpartition('@')[2][:80]!r}", hint="such as oci://registry.example.com/team/skills"
        )
    return host, repository


def _stored_login(home: Path, host: str) -> str:
    """What `docker login` keeps for a host in its file: user and password in base64, "" without."""
    try:
        document = json.loads((home / ".docker" / "config.json").read_text("utf-8"))
        stored = document.get("auths", {}).get(host, {}).get("auth", "")
        base64.b64decode(stored, validate=True)
    except (OSError, ValueError, AttributeError):
        return ""
    return str(stored)


def _said(answer: Answer) -> str:
    """What an OCI registry says of an error."""
    try:
        first = json.loads(answer.body)["errors"][0]
        return f"{first.get('code', '')} {first.get('message', '')}".strip()
    except (ValueError, KeyError, IndexError, TypeError, AttributeError):
        return ""
