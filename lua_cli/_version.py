"""The version, as a constant: `lua --version` prints it without reading package metadata (5 times a bare Python)."""

VERSION = "0.1.0"
