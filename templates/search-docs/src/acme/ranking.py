"""Which documents fit a query: BM25, the classic formula of full-text search, in a few lines."""

import math
import re
from collections import Counter
from collections.abc import Sequence

from acme.library import Document

STOP_WORDS = frozenset(
    "a an and are can do does for how i in is it my of on or the to what when where which with you".split()
)
TITLE_WEIGHT = 3  # a word of the title counts as if it stood in the text three times
K1, B = 1.2, 0.75


def words(text: str) -> list[str]:
    """The words that count, lowercase, plurals folded: "Refund policies" gives refund, policy."""
    found = re.findall(r"\w+", text.lower())
    return [_singular(word) for word in found if word not in STOP_WORDS]


def rank(query: str, documents: Sequence[Document]) -> list[Document]:
    """The documents that hold a word of the query, the best first."""
    bags = [Counter(words(document.title) * TITLE_WEIGHT + words(document.text)) for document in documents]
    mean_length = sum(bag.total() for bag in bags) / max(len(bags), 1)
    scores = [0.0] * len(bags)
    for word in set(words(query)):
        holders = sum(1 for bag in bags if word in bag)
        rarity = math.log(1 + (len(bags) - holders + 0.5) / (holders + 0.5))
        for position, bag in enumerate(bags):
            count = bag[word]
            scores[position] += rarity * count * (K1 + 1) / (count + K1 * (1 - B + B * bag.total() / mean_length))
    best_first = sorted(range(len(bags)), key=lambda position: -scores[position])
    return [documents[position] for position in best_first if scores[position] > 0]


def passage(query: str, document: Document) -> str:
    """The sentence of the document that holds most of the query's words."""
    wanted = set(words(query))
    sentences = re.split(r"(?<=[.!?])\s+", document.text)
    return max(sentences, key=lambda sentence: len(wanted.intersection(words(sentence))))


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    return word[:-1] if word.endswith("s") and not word.endswith("ss") and len(word) > 3 else word
