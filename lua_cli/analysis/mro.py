"""Python's method resolution order (C3). Pure."""

from __future__ import annotations

from collections.abc import Sequence

from lua_cli.analysis.values import ClassValue


class InconsistentError(Exception):
    """The bases have no consistent order; the message is Python's own."""


def linearized(cls: ClassValue, bases: Sequence[ClassValue], top: ClassValue) -> tuple[ClassValue, ...]:
    """The MRO of a class with these bases, whose MROs are known. Raises InconsistentError."""
    for at, base in enumerate(bases):
        if base in bases[:at]:
            raise InconsistentError(f"duplicate base class {base.name}")
    sequences = [list(base.mro or ()) for base in bases] + [list(bases)]
    if not bases:
        return (cls, top)
    out = [cls]
    while sequences := [sequence for sequence in sequences if sequence]:
        head = next((s[0] for s in sequences if not any(s[0] in other[1:] for other in sequences)), None)
        if head is None:
            names = ", ".join(base.name for base in bases)
            raise InconsistentError(f"Cannot create a consistent method resolution order (MRO) for bases {names}")
        out.append(head)
        for sequence in sequences:
            if sequence[0] is head:
                del sequence[0]
    return tuple(out)
