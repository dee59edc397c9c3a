"""The course as a static site: every lesson that a browser tab can run, and the playground."""

PYODIDE_URL = "https://cdn.jsdelivr.net/pyodide/v0.27.7/pyc/"
"""Pyodide's public address, with bytecode in place of sources.

The version is the one that the site's JupyterLite was made for."""
