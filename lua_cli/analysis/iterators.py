"""What gives elements one by one, and what takes them: `zip`, `enumerate`, `map`, `sorted`, `next`, `itertools.chain`.

In: the arguments of the call. Out: its result, or None where it is not followed. An iterator is used up by whoever goes
over it, as far as they go.
"""

from __future__ import annotations

from collections.abc import Sequence

from lua_cli.analysis.constants import NotConstantError, plain
from lua_cli.analysis.containers import Containers
from lua_cli.analysis.scopes import Frame
from lua_cli.analysis.values import (
    CallSite,
    Constant,
    DictValue,
    Generator,
    Given,
    Item,
    ListValue,
    Unknown,
    Value,
)


class Iterators(Containers):
    """Calls that give or take elements."""

    def sequence_of(self, given: Sequence[Given], site: CallSite, frame: Frame) -> Value | None:
        """`sorted` of known elements: their order is known for constants without a key."""
        items = self.machine.evaluator.items(given[0].value) if given else None
        if items is None:
            return None
        ordered = self.machine.caller.ordered(items, given[1:])
        made = ListValue("list", ordered or items, None, len(self.machine.conditions))
        made.unordered = ordered is None
        return made

    def reversed_(self, given: Sequence[Given], site: CallSite, frame: Frame) -> Value | None:
        value = self.machine.settled(given[0].value) if len(given) == 1 else None
        items = self.machine.evaluator.items(value) if value is not None else None
        if items is None:
            return None
        made = ListValue("list", items[::-1], None, len(self.machine.conditions), once=True)
        made.unordered = isinstance(value, ListValue) and value.unordered
        return made

    def map_(self, given: Sequence[Given], site: CallSite, frame: Frame) -> Value | None:
        """`map` and `filter`: what the function does is done when the elements are asked for. What comes of them is
        the function's business, and a registration says so."""
        if len(given) != 2 or any(arg.star or arg.keyword for arg in given):
            return None
        function, over = given
        name = self.machine.text(site.func)

        def run() -> Value:
            items = self.machine.evaluator.items(over.value)
            if items is None:
                self.machine.reach.not_followed(function.value, (), site.where)
            elif self.machine.evaluator.truth(function.value) is not False:  # `filter(None, …)` calls nothing
                for item in items:
                    self.machine.caller.call(function.value, [Given(item.value, item.where)], site, frame)
            return Unknown(f"it is the result of `{name}(…)`", taint=True)

        return Generator(run, self.machine.text(site.where), len(self.machine.conditions))

    def any_(self, given: Sequence[Given], site: CallSite, frame: Frame) -> Value | None:
        """`any` and `all` ask a generator for no more than they need."""
        value = self.machine.settled(given[0].value) if len(given) == 1 else None
        if not isinstance(value, Generator):
            return None
        self.machine.evaluator.perhaps_run(value)
        return Unknown(f"it is the result of `{self.machine.text(site.where)}`")

    def len_(self, given: Sequence[Given], site: CallSite, frame: Frame) -> Value | None:
        value = self.machine.settled(given[0].value) if len(given) == 1 else None
        if isinstance(value, ListValue) and value.unknown is None and not value.once:
            return None if any(item.maybe for item in value.items) else Constant(len(value.items))
        if isinstance(value, DictValue) and value.unknown is None:
            return None if any(item.maybe for item in value.items.values()) else Constant(len(value.items))
        return None

    def range_(self, given: Sequence[Given], site: CallSite, frame: Frame) -> Value | None:
        try:
            values = [plain(self.machine.certain(arg.value)) for arg in given]
            numbers = [value for value in values if isinstance(value, int) and abs(value) < 10_000]
            if not numbers or len(numbers) != len(values):
                return None
            found = range(*numbers)
            return ListValue("list", [Item(Constant(one), site.where) for one in found])
        except (NotConstantError, TypeError, ValueError):
            return None

    def zip_(self, given: Sequence[Given], site: CallSite, frame: Frame) -> Value | None:
        sources = [arg for arg in given if not arg.keyword]  # without `strict=`
        lists = [self.machine.evaluator.items(arg.value) for arg in sources]
        known = [items for items in lists if items is not None and not any(item.maybe for item in items)]
        if len(known) != len(lists):
            return None
        pairs = [Item(ListValue("tuple", list(pair)), pair[0].where) for pair in zip(*known, strict=False)]
        self._put_back(sources, known, len(pairs))
        return ListValue("list", pairs, None, len(self.machine.conditions), once=True)

    def _put_back(self, given: Sequence[Given], taken: Sequence[Sequence[Item]], pairs: int) -> None:
        """`zip` takes no more from its iterators than it needs to find the shortest one at its end."""
        ended = False
        for arg, items in zip(given, taken, strict=True):
            source = self.machine.settled(arg.value)
            used = pairs if ended else pairs + 1
            ended = ended or len(items) == pairs
            if isinstance(source, ListValue) and source.once:
                source.items = list(items[used:])

    def enumerate_(self, given: Sequence[Given], site: CallSite, frame: Frame) -> Value | None:
        if not given or len(given) > 2 or given[0].keyword:
            return None
        start = self.machine.settled(given[1].value) if len(given) == 2 else Constant(0)
        if not isinstance(start, Constant) or not isinstance(start.value, int):
            return None
        items = self.machine.evaluator.items(given[0].value)
        if items is None:
            return None
        pairs = [
            ListValue("tuple", [Item(Constant(at), site.where), item]) for at, item in enumerate(items, start.value)
        ]
        listed = [Item(pair, item.where, item.maybe) for pair, item in zip(pairs, items, strict=True)]
        return ListValue("list", listed, None, len(self.machine.conditions), once=True)

    def chain(self, given: Sequence[Given], site: CallSite, frame: Frame) -> Value | None:
        out = ListValue("list", [], None, len(self.machine.conditions))
        for arg in given:
            self.machine.caller.extend(out, arg.value, arg.where)
        out.once = True
        return out

    def chain_from(self, given: Sequence[Given], site: CallSite, frame: Frame) -> Value | None:
        items = self.machine.evaluator.items(given[0].value) if given else None
        return None if items is None else self.chain([Given(i.value, i.where) for i in items], site, frame)

    def next_(self, given: Sequence[Given], site: CallSite, frame: Frame) -> Value | None:
        value = self.machine.settled(given[0].value) if given else None
        if isinstance(value, Generator):
            self.machine.evaluator.perhaps_run(value)
            return None
        if not isinstance(value, ListValue) or not value.once or value.unknown or any(i.maybe for i in value.items):
            return None
        if self.machine.perhaps is not None and len(self.machine.conditions) > value.depth:
            return None
        if value.unordered and len(value.items) > 1:
            return None
        if value.items:
            return value.items.pop(0).value
        if len(given) > 1:
            return given[1].value
        self.machine.fail("StopIteration", "")
        return None

    def iter_(self, given: Sequence[Given], site: CallSite, frame: Frame) -> Value | None:
        value = self.machine.settled(given[0].value) if len(given) == 1 else None
        if isinstance(value, Generator) or (isinstance(value, ListValue) and value.once):
            return value
        items = self.machine.evaluator.items(value) if value is not None else None
        return None if items is None else ListValue("list", items, None, len(self.machine.conditions), once=True)

    def deque(self, given: Sequence[Given], site: CallSite, frame: Frame) -> Value | None:
        """A deque without a bound is a list, for all that is asked here; one with a bound drops what does not fit."""
        bound = next((arg for arg in given if arg.keyword == "maxlen"), given[1] if len(given) > 1 else None)
        items = self.machine.evaluator.items(given[0].value) if given and given[0].keyword is None else []
        if items is None:
            return None
        length = self.machine.settled(bound.value) if bound is not None else Constant(None)
        if not isinstance(length, Constant) or not isinstance(length.value, int | None):
            return None
        kept = items if length.value is None else items[max(0, len(items) - length.value) :]
        made = ListValue("list", list(kept), None, len(self.machine.conditions))
        if length.value:
            made.unknown = Unknown("it is a deque with a bound", self.machine.evaluator.tainted(made))
        return made
