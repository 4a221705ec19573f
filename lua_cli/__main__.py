"""`python -m lua_cli`."""

from lua_cli.main import run

run()
