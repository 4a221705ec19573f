"""The script that every child starts with: `<python> -I -X utf8 start.py <result> <status> [<module> …]`: two
descriptors, and what to import before the request comes.

It serves `lua_cli` from the folder it lies in, and of it only the SDK and child/: whichever Python this is, users'
tools see the same SDK and never the compiler. Then it reads the request and hands over to supervise.py.
"""

import os
import sys
from importlib.machinery import ModuleSpec, SourceFileLoader

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120  # pathlib costs half a Python
_SERVED = ("_version", "sdk", "child")


class SdkFinder:
    """Finds `lua_cli` here, and nothing else of it than what is served."""

    @staticmethod
    def find_spec(name, path=None, target=None):  # type: ignore[no-untyped-def]  # runs under any Python, before anything is imported
        """The spec of `lua_cli` and of what is served below it; None for everything else."""
        parts = name.split(".")
        if parts[0] != "lua_cli" or (len(parts) > 1 and parts[1] not in _SERVED):
            return None
        base = os.path.join(_PACKAGE, *parts[1:])  # noqa: PTH118
        is_package = os.path.isdir(base)  # noqa: PTH112
        file = os.path.join(base, "__init__.py") if is_package else base + ".py"  # noqa: PTH118
        if not os.path.isfile(file):  # noqa: PTH113
            return None
        spec = ModuleSpec(name, SourceFileLoader(name, file), origin=file, is_package=is_package)
        spec.has_location = True
        return spec


def main() -> None:
    """Read the request and do it; never returns."""
    result, status = int(sys.argv[1]), int(sys.argv[2])
    if sys.version_info < (3, 11):  # noqa: UP036  # the project may name any Python
        os.write(status, b"python %d.%d\n" % sys.version_info[:2])
        os._exit(0)
    sys.meta_path.insert(0, SdkFinder)
    from lua_cli.child.supervise import serve

    serve(result, status, sys.argv[3:])


if __name__ == "__main__":  # multiprocessing's spawn imports this file again, under another name
    main()
