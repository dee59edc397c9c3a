"""The course in a browser tab: the site of its lessons, and the playground."""

from __future__ import annotations

PYODIDE = "https://cdn.jsdelivr.net/pyodide/v0.27.7/full/"
"""Where a published page takes Python for the browser from; a school's own copy takes its place."""
