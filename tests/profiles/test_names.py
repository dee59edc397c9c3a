"""Names as they stand in a figure."""

from __future__ import annotations

import pytest

from gpuedu.profiles import short_name


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("aten::addmm", "addmm"),
        ("detach", "detach"),
        ("torch::autograd::AccumulateGrad", "AccumulateGrad"),
        ("autograd::engine::evaluate_function: torch::autograd::AccumulateGrad", "AccumulateGrad"),
        ("ampere_sgemm_128x64_tn", "ampere_sgemm_128x64_tn"),
        (
            "void at::native::(anonymous namespace)::softmax_warp_forward<float, float, 4, true>"
            "(float*, float const*, int)",
            "softmax_warp_forward",
        ),
        (
            "std::enable_if<!(false), void>::type internal::gemvx::kernel<int, float>(cublas<a>)",
            "kernel",
        ),
        ("Memset (Device)", "Memset"),
        ("Memcpy DtoH (Device -> Pageable)", "DtoH"),
        ("Optimizer.zero_grad#Adam.zero_grad", "Adam.zero_grad"),
        ("## Call CompiledFxGraph frlf43yhe5dd3a5b ##", "compiled graph"),
        ("TorchDynamo Cache Lookup", "TorchDynamo Cache Lookup"),
        ("Torch-Compiled Region: 0/0", "Torch-Compiled Region: 0/0"),
        ("", ""),
        ("<lambda>", "<lambda>"),
        ("a<b", "a"),
    ],
)
def test_short_names(name, short):
    assert short_name(name) == short
