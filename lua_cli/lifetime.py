"""How long this process lives. `main` says so, and others save what a process need not do that is about to end."""

ends_soon = False
"""The process answers one plain command line and ends: its objects need no collecting, and nothing has to be taken
down. Never so in a process that calls `main` for its own ends, as a test does."""
