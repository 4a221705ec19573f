"""Which names and which texts say nearly the same. In: names, or texts by name. Out: groups of names, in the order they
came.

Nothing is compared with everything: names meet by a key, misspelt words by the words that are left when a letter is
dropped, texts by their rarest words. So the work grows nearly as the input does.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

_SAME_MEANING = (
    ("get", "fetch", "retrieve", "lookup", "show"),
    ("find", "search", "query"),
    ("delete", "remove"),
    ("create", "make", "new"),
    ("update", "edit", "modify", "change"),
)
_MEANING = {word: group[0] for group in _SAME_MEANING for word in group}
_LETTERS = re.compile(r"[^\W\d_]+")
_DIGITS = re.compile(r"\d+")
_PARTS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+")
_EMPTY_WORDS = frozenset({"the", "a", "an", "of", "for", "tool", "my"})
_SHORTEST_MISSPELT = 6  # in shorter words one letter is a difference: get, set
_LIKE = 0.9
_SHORTEST_TEXT = 6
_MOST_COMPARED = 50


def alike_names(names: Sequence[str]) -> list[list[str]]:
    """Groups of names that say the same: other order, plural, spelling, or another word for the same verb."""
    words = {name: _words(name) for name in names}
    spelling = _one_spelling(word for found in words.values() for word in found)
    groups: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for name, found in words.items():
        key = tuple(sorted(_meaning(spelling.get(word, word)) for word in found if word not in _EMPTY_WORDS))
        if key:
            groups[key].append(name)
    return [group for group in groups.values() if not _series(group)]


def alike_texts(texts: Mapping[str, str]) -> list[list[str]]:
    """Groups of names whose texts have nearly the same words."""
    sets: dict[frozenset[str], list[str]] = defaultdict(list)
    for name, text in texts.items():
        words = frozenset(_LETTERS.findall(text.lower()))
        if words:
            sets[words].append(name)
    order = {name: position for position, name in enumerate(texts)}
    joined = _union(sets, _like_pairs(list(sets)))
    groups = [sorted((name for words in group for name in sets[words]), key=order.__getitem__) for group in joined]
    return sorted((group for group in groups if not _series(group)), key=lambda group: order[group[0]])


def _series(group: Sequence[str]) -> bool:
    """One name, or names that differ only in digits."""
    return len(group) < 2 or len({_DIGITS.sub("", name) for name in group}) < 2


def _words(name: str) -> list[str]:
    parts = _PARTS.findall(name)
    words = [part.lower() for part in parts]
    return ["lookup" if word == "look" else word for word in words if not (word == "up" and "look" in words)]


def _meaning(word: str) -> str:
    word = _MEANING.get(word, word)
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    return word[:-1] if word.endswith("s") and not word.endswith("ss") and len(word) > 3 else word


def _one_spelling(words: Iterable[str]) -> dict[str, str]:
    """Each longer word → the first one that differs from it by one letter dropped, added, changed or swapped."""
    first: dict[str, str] = {}
    spelling: dict[str, str] = {}
    for word in dict.fromkeys(words):
        if len(word) < _SHORTEST_MISSPELT or word in spelling:
            continue
        shortened = {word, *(word[:i] + word[i + 1 :] for i in range(len(word)))}
        other = next(
            (first[form] for form in sorted(shortened) if form in first and _one_apart(first[form], word)), None
        )
        spelling[word] = spelling[other] if other else word
        for form in shortened:
            first.setdefault(form, word)
    return spelling


def _one_apart(one: str, other: str) -> bool:
    """Whether two words differ by one edit (a swap of neighbours counts as one)."""
    if abs(len(one) - len(other)) > 1:
        return False
    start = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    rest, rest_other = one[start:], other[start:]
    if len(rest) == len(rest_other):
        swapped = len(rest) > 1 and rest[0] == rest_other[1] and rest[1] == rest_other[0] and rest[2:] == rest_other[2:]
        return rest[1:] == rest_other[1:] or swapped
    longer, shorter = (rest, rest_other) if len(rest) > len(rest_other) else (rest_other, rest)
    return longer[1:] == shorter


def _like_pairs(sets: Sequence[frozenset[str]]) -> Iterator[tuple[frozenset[str], frozenset[str]]]:
    """Pairs that share at least _LIKE of their words: such a pair shares one of its rarest words too (prefix filter).

    A text is compared with the first of each group only, and with the _MOST_COMPARED latest of them, so that thousands
    of equal or of unlike texts stay cheap.
    """
    frequency = Counter(word for words in sets for word in words)
    holders: dict[str, list[frozenset[str]]] = defaultdict(list)
    for words in sets:
        if len(words) < _SHORTEST_TEXT:
            continue
        rarest = sorted(words, key=lambda word: (frequency[word], word))
        prefix = rarest[: len(words) - math.ceil(_LIKE * len(words)) + 1]
        candidates = dict.fromkeys(other for word in prefix for other in holders[word][-_MOST_COMPARED:])
        like = next((other for other in candidates if len(words & other) >= _LIKE * len(words | other)), None)
        if like is not None:
            yield words, like
            continue
        for word in prefix:
            holders[word].append(words)


def _union(
    sets: Iterable[frozenset[str]], pairs: Iterable[tuple[frozenset[str], frozenset[str]]]
) -> list[list[frozenset[str]]]:
    leader = {words: words for words in sets}

    def find(words: frozenset[str]) -> frozenset[str]:
        while leader[words] is not words:
            leader[words] = words = leader[leader[words]]
        return words

    for one, other in pairs:
        leader[find(one)] = find(other)
    groups: dict[frozenset[str], list[frozenset[str]]] = defaultdict(list)
    for words in leader:
        groups[find(words)].append(words)
    return list(groups.values())
