"""What an expression costs: compiling it, evaluating it, and beside that the same in Python.

    python bench/cel.py [--rounds 2000]

Prints medians, and how long expressions that run away take to be ended; judges nothing.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable

from lua_cli.flows.cel import CelError, Scope, compile_cel
from lua_cli.runtime.flows.guarded import evaluate

EXPRESSIONS = (
    'body.orderId == "A-100" && vars.count > 3.0',
    '{"orderId": body.orderId, "total": body.amount * 1.2, "tags": body.tags}',
    "body.items.filter(i, i.qty > 1.0).map(i, i.sku)",
    'has(body.missing) ? body.missing : "none"',
    '"order " + body.orderId + " has " + string(size(body.items)) + " items"',
)
RUNAWAYS = (
    "regexExtract('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', '(a+)+b')",
    "lists.range(9000).map(x, body.long.upperAscii()).size()",
    "size(body.many.distinct())",
    "size(lists.range(1000000000))",
)
LARGE = Scope({"many": list(range(100_000)), "long": "a" * 100_000})
SCOPE = Scope(
    {"orderId": "A-100", "amount": 50, "tags": ["a", "b"], "items": [{"sku": "b", "qty": 5}, {"sku": "a", "qty": 1}]},
    {"count": 5},
)


def median_ms(work: Callable[[], object], rounds: int) -> float:
    times = []
    for _ in range(rounds):
        begun = time.perf_counter()
        work()
        times.append(time.perf_counter() - begun)
    return statistics.median(times) * 1000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=2000)
    rounds = parser.parse_args().rounds
    compile_cel("1")  # the environment is made once
    bare = median_ms(lambda: eval(compile("1 + 1", "", "eval")), rounds)  # the floor: Python itself
    print("| expression | compile, ms | evaluate, ms | compile against Python's own |")
    print("|---|---|---|---|")
    for source in EXPRESSIONS:
        program = compile_cel(source)
        compiling = median_ms(lambda source=source: compile_cel(source), rounds)  # type: ignore[misc]
        evaluating = median_ms(lambda program=program: evaluate(program, SCOPE), rounds)  # type: ignore[misc]
        print(f"| `{source}` | {compiling:.3f} | {evaluating:.3f} | {compiling / bare:.0f}× |")
    print("\n| runs away | ended after, s | with |")
    print("|---|---|---|")
    for source in RUNAWAYS:
        begun = time.perf_counter()
        try:
            said = str(evaluate(compile_cel(source), LARGE))
        except CelError as error:
            said = error.message
        print(f"| `{source}` | {time.perf_counter() - begun:.2f} | {said} |")


if __name__ == "__main__":
    main()
