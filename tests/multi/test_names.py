"""The names that a lesson uses of ``multi`` mean the same, whatever was imported before."""

import importlib

import pytest

from gpuedu import multi


def test_launch_can_be_called_after_its_package_was_imported(monkeypatch):
    package = importlib.import_module("gpuedu.multi.launch")
    monkeypatch.setattr(multi, "launch", package)  # as the import sets it
    with pytest.raises(package.LaunchError, match="at least one rank"):
        multi.launch(print, 0)
