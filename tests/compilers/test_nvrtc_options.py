"""The options and headers that CuPy gives to NVRTC, and what a compilation depends on."""

from __future__ import annotations

import subprocess
import sys

import pytest

from gpuedu.compilers import CompilerMissingError, nvrtc_options
from gpuedu.compilers.nvrtc import check_cuda_c, compile_cuda_c
from gpuedu.compilers.nvrtc_options import (
    compiler_options,
    content_key,
    header_folders,
    require_headers,
)


def test_the_standard_is_added_where_none_is_named():
    assert "-std=c++17" in compiler_options((), (9, 0))
    for named in (("-std=c++11",), ("-DX", "--std=c++20")):
        assert "-std=c++17" not in compiler_options(named, (9, 0))


def test_a_kernels_options_come_first():
    options = compiler_options(("-DA", "-ftz=false"), (7, 5))
    assert options[:2] == ["-DA", "-ftz=false"]
    assert options.index("-ftz=true") > options.index("-ftz=false")
    assert "-arch=compute_75" in options


def test_a_check_is_a_debug_build_and_machine_code_is_for_the_device():
    assert "-G" in compiler_options((), (9, 0), "check")
    assert "-arch=sm_90" in compiler_options((), (9, 0), "machine")
    assert "-G" not in compiler_options((), (9, 0))


def test_headers_and_options_are_those_of_cupy():
    """What CuPy itself says, asked in another process: it needs no GPU for that."""
    pytest.importorskip("cupy")
    program = (
        "from cupy._core.core import assemble_cupy_compiler_options as ask\n"
        "print('\\n'.join(ask(())))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    if done.returncode:
        pytest.skip("this CuPy does not tell its options")
    said = done.stdout.split()
    folders = [option[2:] for option in said if option.startswith("-I")]
    ours = list(header_folders())
    assert ours[:4] == folders[:4]
    assert set(folders) <= set(ours)
    assert [option.replace("--", "-") for option in said if "std" in option] == ["-std=c++17"]


def test_the_key_depends_on_everything():
    base = ("check", "code", ["-a"], ["k"])
    others = [
        ("facts", "code", ["-a"], ["k"]),
        ("check", "code ", ["-a"], ["k"]),
        ("check", "code", ["-a", "-b"], ["k"]),
        ("check", "code", ["-a"], []),
        ("check", "code", [], ["-a", "k"]),
    ]
    keys = {content_key(*one) for one in [base, *others]}
    assert len(keys) == 6
    assert content_key(*base) in keys
    assert content_key("check", "größer \udc80", [], [])


def test_a_missing_header_of_warp_matrices_is_no_fault_of_the_source(monkeypatch):
    code = "  #  include <mma.h>\n"
    monkeypatch.setattr(nvrtc_options, "header_folders", lambda: ("nowhere",))
    for ask in (require_headers, check_cuda_c, compile_cuda_c):
        with pytest.raises(CompilerMissingError) as caught:
            ask(code)
        assert "mma.h" in str(caught.value) and "nvidia-cuda-nvcc" in caught.value.remedy
    require_headers("// #include <mma.h>")
    require_headers("#include <cuda_fp16.h>")
