"""registry/: which versions of which skills exist, and which one is live.

In: built artifacts and what the user wants. Out: a `Plan`, and after doing it a `Receipt`. One small protocol stands
before every registry; the embedded one is a SQLite file of the user. Must not print, and must not run user code.
"""
