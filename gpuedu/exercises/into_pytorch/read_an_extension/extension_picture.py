"""The extension that the learner reads: an operator in C++ and CUDA, with faults in it."""

from __future__ import annotations

EXTENSION = """\
#include <torch/extension.h>

__global__ void scaled_add_kernel(float a, const float* x, const float* y, float* out, int64_t n) {
  int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
  if (i < n) {
    out[i] = a * x[i] + y[i];
  }
}

torch::Tensor scaled_add(double a, torch::Tensor x, torch::Tensor y) {
  TORCH_CHECK(x.is_cuda() && y.is_cuda(), "scaled_add: x and y must be on a GPU");
  TORCH_CHECK(x.sizes() == y.sizes(), "scaled_add: x and y differ in shape");
  x = x.contiguous();
  auto out = torch::empty_like(x);
  const int64_t n = x.numel();
  const int threads = 256;
  const int blocks = n / threads;
  scaled_add_kernel<<<blocks, threads>>>(
      a,
      x.data_ptr<float>(),
      y.data_ptr<float>(),
      out.data_ptr<float>(),
      n);
  return out;
}
"""


def tell_extension() -> str:
    """Its text, each line with its number."""
    lines = EXTENSION.splitlines()
    return "\n".join(f"{number:2}  {line}".rstrip() for number, line in enumerate(lines, 1))
