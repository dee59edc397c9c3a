"""Versions are found, or said to be unknown."""

from __future__ import annotations

import platform
from types import SimpleNamespace

import gpuedu
from gpuedu.recording.versions import ABSENT, UNKNOWN, find_versions


def cupy(version):
    runtime = SimpleNamespace(runtimeGetVersion=version)
    return SimpleNamespace(__version__="14.2.0", cuda=SimpleNamespace(runtime=runtime))


def test_each_has_a_text():
    found = find_versions(cupy(lambda: 13010))
    assert found["cuda runtime"] == "13.1" and found["cupy"] == "14.2.0"
    assert found["python"] == platform.python_version()
    assert found["gpuedu"] == gpuedu.__version__
    assert all(isinstance(text, str) and text for text in found.values())
    assert found["numba"][0].isdigit() and (
        found["triton"] == ABSENT or found["triton"][0].isdigit()
    )


def test_a_runtime_that_does_not_tell_is_unknown():
    def refuse():
        raise RuntimeError("no driver")

    assert find_versions(cupy(refuse))["cuda runtime"] == UNKNOWN
