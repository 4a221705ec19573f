"""server/: the HTTP API that hosts a registry for a team.

In: HTTP requests with keys. Out: the answers of the platform's API, and a database (SQLite or PostgreSQL) with the
contents in it or in an S3-compatible store. Must not print, and must not run user code.
"""
