"""Kernels and their parameters, in PTX texts written by hand and in the compiler's own."""

from __future__ import annotations

import pytest

from gpuedu.compilers import KernelSignature, Parameter, compile_cuda_c, kernel_signatures
from gpuedu.compilers.nvrtc_kernels import (
    plain_name,
    signature_from_plain,
    signature_to_plain,
    static_shared_bytes,
)

PTX = """
.extern .shared .align 16 .b8 dynamic[];
.func (.param .b32 r) helper(.param .b64 p0) { ret; }
.visible .entry _Z1kPfi(
	.param .u64 .ptr .global .align 4 _Z1kPfi_param_0,
	.param .u32 _Z1kPfi_param_1,
	.param .align 8 .b8 _Z1kPfi_param_2[24]
)
.maxntid 256, 1, 1
{
	// demoted variable
	.shared .align 4 .b8 _ZZ1kPfiE4tile[8448];
	.shared .align 8 .f64 one;
	ld.param.u64 	%rd1, [_Z1kPfi_param_0];
}
.weak .entry none()
{
	ret;
}
"""


def test_kernels_come_in_order_with_their_parameters():
    first, second = kernel_signatures(PTX)
    assert first.name == "_Z1kPfi"
    assert first.parameters == (Parameter(8, "u"), Parameter(4, "u"), Parameter(24, "b"))
    assert second == KernelSignature("none", ())


def test_signatures_survive_a_way_through_lists():
    for signature in kernel_signatures(PTX):
        assert signature_from_plain(signature_to_plain(signature)) == signature


def test_shared_arrays_of_constant_size_are_added_up_with_their_alignment():
    assert static_shared_bytes(PTX) == 8448 + 8
    assert static_shared_bytes("\t.shared .align 1 .b8 a[3];\n\t.shared .align 8 .b8 b[8];") == 16
    assert static_shared_bytes("st.shared.f32 [tile], %f1;") == 0


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("scale", "scale"),
        ("_Z5scalePfi", "scale"),
        ("_Z5scaleIfEvPT_i", "scale"),
        ("_ZN4mine5inner5scaleEPf", "scale"),
        ("_ZN12_GLOBAL__N_15scaleEPf", "scale"),
        ("_Zoo", "_Zoo"),
        ("_ZZ1kE1t", "_ZZ1kE1t"),
    ],
)
def test_plain_names(name, plain):
    assert plain_name(name) == plain


@pytest.mark.usefixtures("nvrtc_compiler")
def test_the_compilers_own_text():
    code = """
    struct Pair { float value; double weight; char kind; };
    extern "C" __global__ void __launch_bounds__(64) all(
        float* a, const double* __restrict__ b, bool c, char d, short e, unsigned f, long long g,
        float h, double i, float4 j, Pair k, int (&l)[3]) { a[0] = k.value + b[0] + l[0] + j.x; }
    namespace mine { __global__ void none() { } }
    """
    first, second = compile_cuda_c(code).kernels
    sizes = [one.size_bytes for one in first.parameters]
    assert sizes == [8, 8, 1, 1, 2, 4, 8, 4, 8, 16, 24, 8]
    assert [one.kind for one in first.parameters if one.kind in "fb"] == ["f", "f", "b", "b"]
    assert (plain_name(second.name), second.parameters) == ("none", ())
