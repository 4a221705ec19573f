"""The tool `search_acme_catalogue`: the shared search with Acme's fields."""

from pathlib import Path

from shared.catalogue_search import CatalogueSearch


class SearchAcmeCatalogue(CatalogueSearch):
    name = "search_acme_catalogue"
    description = (
        "Search Acme's catalogue of garden tools and machines by words and price. "
        "Use when the customer wants something for the garden."
    )
    catalogue = Path(__file__).parent / "acme_catalogue.json"
