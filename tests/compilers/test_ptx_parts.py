"""What one kernel of a PTX text needs of it."""

from __future__ import annotations

from gpuedu.compilers.ptx import instructions
from gpuedu.compilers.ptx_parts import only_kernel

PTX = """
.extern .func (.param .b32 r) vprintf
(
	.param .b64 p
)
;
.func (.param .b32 func_retval0) deep(.param .b32 p)
;
.func  (.param .b32 func_retval0) shared_one(
	.param .b32 p
)
{
	call.uni (retval0), deep, (param0);
	neg.f32 %f1, %f1;
}
.func unused_by_first()
{
	abs.f32 %f1, %f1;
}
.visible .entry first(
	.param .u64 p
)
.maxntid 64, 1, 1
{
	{ // callseq 0, 0 }
	call.uni (retval0), shared_one, (param0);
	}
	add.f32 %f1, %f1, %f2;
}
.weak .entry second()
{
	call.uni unused_by_first;
	mul.f32 %f1, %f1, %f2;
}
.func  (.param .b32 func_retval0) deep(.param .b32 p)
{
	sub.f32 %f1, %f1, %f2;
}
.global .b8 text[4];
"""


def test_other_kernels_and_what_only_they_call_are_left_out():
    first, second = only_kernel(PTX, "first"), only_kernel(PTX, "second")
    assert set(instructions(first)) == {"call.uni", "neg.f32", "add.f32", "sub.f32"}
    assert set(instructions(second)) == {"call.uni", "abs.f32", "mul.f32"}


def test_variables_and_declarations_stay():
    for name in ("first", "second", "third"):
        text = only_kernel(PTX, name)
        assert ".global .b8 text[4];" in text
        assert "vprintf" in text
    assert ".entry" not in only_kernel(PTX, "third")


def test_a_text_of_one_kernel_is_itself():
    once = only_kernel(PTX, "first")
    assert only_kernel(once, "first") == once
