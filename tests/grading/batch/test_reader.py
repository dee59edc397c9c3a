"""The reader is there soon, and reads as it does without haste."""

from __future__ import annotations

import json
import subprocess
import sys

PROGRAM = """
import json, sys
from gpuedu.grading.batch.reader import import_reader

import_reader()
from gpuedu.grading.reading.released import released  # waits for it

import nbformat
bad = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [{"cell_type": "code"}]}
try:
    nbformat.validate(bad)
    told = ""
except nbformat.ValidationError as fault:
    told = type(fault).__name__
cells = len(released("01_why_gpus").cells)
print(json.dumps([told, cells > 10, "rfc3987_syntax" not in sys.modules]))
"""


def test_notebooks_are_checked_and_what_was_left_out_can_still_be_imported():
    told = subprocess.run(
        [sys.executable, "-c", PROGRAM], check=True, capture_output=True, text=True
    )
    assert json.loads(told.stdout) == ["NotebookValidationError", True, True]
