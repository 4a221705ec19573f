"""The tool `search_globex_catalogue`: the shared search with Globex's fields."""

from pathlib import Path

from shared.catalogue_search import CatalogueSearch


class SearchGlobexCatalogue(CatalogueSearch):
    name = "search_globex_catalogue"
    description = (
        "Search Globex's laboratory supplies (glassware, scales, reagents) by words and price. "
        "Use when the customer equips a laboratory or a classroom."
    )
    catalogue = Path(__file__).parent / "globex_catalogue.json"
    currency = "USD"
    most = 3
