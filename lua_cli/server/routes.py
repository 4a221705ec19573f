"""The operations of the API, in the order of the document. Pure data."""

from __future__ import annotations

from lua_cli.server import bodies, others, skills, uploads
from lua_cli.server.operations import Operation, Routes

_AGENT = "/developer/agents/{agent}"
_SKILLS = "/developer/skills/{agent}"
_SKILL = _SKILLS + "/{skill}"
_VERSION = _SKILL + "/version/{version}"
_BYTES = "application/octet-stream"

ROUTES = Routes(
    [
        Operation("GET", "/developer/me", "read", "Whose key it is", others.me, answer=bodies.MeAnswer),
        Operation("GET", _SKILLS, "read", "The agent's skills", skills.list_skills, answer=bodies.SkillsAnswer),
        Operation(
            "POST",
            _SKILLS,
            "push",
            "Make a skill",
            skills.create_skill,
            body=bodies.CreateSkill,
            answer=bodies.CreatedAnswer,
            statuses=(201, 409),
        ),
        Operation(
            "DELETE",
            _SKILL,
            "push",
            "Remove a skill without versions, deactivate one with versions",
            skills.delete_skill,
            answer=bodies.DeletedAnswer,
        ),
        Operation(
            "POST",
            _SKILL + "/version",
            "push",
            "Put a version; the same content again is answered with 200",
            skills.put_version,
            body=bodies.PutVersion,
            answer=bodies.PutAnswer,
            statuses=(201, 200, 409),
            prepare=skills.check_version,
        ),
        Operation(
            "POST",
            _SKILL + "/version/sandbox",
            "push",
            "Make a draft",
            others.put_sandbox,
            body=bodies.PutVersion,
            answer=bodies.SandboxAnswer,
            statuses=(201,),
        ),
        Operation(
            "PUT",
            _SKILL + "/version/sandbox/{draft}",
            "push",
            "Change a draft",
            others.put_sandbox,
            body=bodies.PutVersion,
            answer=bodies.SandboxAnswer,
        ),
        Operation(
            "GET",
            _SKILL + "/versions",
            "read",
            "The versions of a skill",
            skills.list_versions,
            answer=bodies.VersionsAnswer,
        ),
        Operation(
            "GET",
            _SKILL + "/history",
            "read",
            "What was live, oldest first",
            skills.history,
            answer=bodies.HistoryAnswer,
        ),
        Operation(
            "GET", _VERSION, "read", "What a version says of itself", skills.version_facts, answer=bodies.FactsAnswer
        ),
        Operation("GET", _VERSION + "/artifact", "read", "The artifact of a version", skills.artifact, media=_BYTES),
        Operation(
            "PUT",
            _VERSION + "/yank",
            "push",
            "Withdraw a version, or take that back",
            skills.yank,
            body=bodies.PutYank,
            answer=bodies.VersionAnswer,
            statuses=(200, 409),
        ),
        Operation(
            "PUT",
            _VERSION + "/source",
            "push",
            "Attach the source of a version",
            others.put_source,
            body=bodies.PutSource,
            answer=bodies.SourceAnswer,
        ),
        Operation(
            "PUT",
            _SKILL + "/{version}/publish",
            "deploy",
            "Make a version live",
            skills.publish,
            answer=bodies.PublishedAnswer,
            statuses=(200, 409, 412),
        ),
        Operation("GET", _AGENT + "/versions", "read", "Versions of the agent (none)", others.no_items),
        Operation("GET", _AGENT + "/mcp-servers", "read", "MCP servers of the agent (none)", others.no_items),
        Operation(
            "POST",
            _AGENT + "/backup/check-blobs",
            "read",
            "Which contents are missing",
            uploads.check_blobs,
            body=bodies.Hashes,
            answer=bodies.CheckedAnswer,
        ),
        Operation(
            "POST",
            _AGENT + "/backup/blob-upload-urls",
            "push",
            "Where to send contents",
            uploads.upload_urls,
            body=bodies.UploadUrls,
            answer=bodies.UrlsAnswer,
        ),
        Operation(
            "POST",
            _AGENT + "/backup/blob-urls",
            "read",
            "Where to fetch contents",
            uploads.blob_urls,
            body=bodies.Hashes,
            answer=bodies.UrlsAnswer,
        ),
        Operation(
            "POST",
            _AGENT + "/backup/manifest",
            "push",
            "Keep the list of a backup's files",
            uploads.put_manifest,
            body=bodies.Manifest,
            answer=bodies.BackupAnswer,
            statuses=(201,),
        ),
        Operation(
            "GET",
            _AGENT + "/backup/manifest",
            "read",
            "The list of the backup's files",
            uploads.get_manifest,
            answer=bodies.BackupAnswer,
        ),
        Operation(
            "GET", _AGENT + "/env", "deploy", "The agent's variables", others.variables, answer=bodies.VariablesAnswer
        ),
        Operation(
            "POST",
            _AGENT + "/env",
            "deploy",
            "Replace the agent's variables",
            others.put_variables,
            body=bodies.Variables,
            answer=bodies.VariablesAnswer,
        ),
        Operation(
            "DELETE",
            _AGENT + "/env/{name}",
            "deploy",
            "Remove a variable",
            others.delete_variable,
            answer=bodies.VariablesAnswer,
        ),
        Operation(
            "PUT",
            "/blobs/{token}",
            "",
            "Send a content to an address that was given out",
            uploads.put_blob,
            raw=True,
            answer=bodies.BlobAnswer,
            prepare=uploads.check_blob,
            admit=uploads.admit_blob,
        ),
        Operation("GET", "/blobs/{token}", "", "Fetch a content by its address", uploads.get_blob, media=_BYTES),
        Operation("GET", "/developer/{kind}/{agent}", "read", "Items of another kind (none)", others.no_items),
    ]
)
