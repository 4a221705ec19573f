"""The version, as a constant: `lua --version` prints it without reading package metadata (5 times a bare Python)."""

__version__ = "0.1.0"
