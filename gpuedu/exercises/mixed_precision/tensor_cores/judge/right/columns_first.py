# the transposed product, by columns; named pairs and a text; a difference that rounds
from collections import namedtuple

code = r"""
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

extern "C" __global__ void matmul(const half* a, const half* b, float* c, int M, int N, int K) {
    int row = 16 * blockIdx.y, column = 16 * blockIdx.x;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::col_major> of_b;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> of_a;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums;
    wmma::fill_fragment(sums, 0.0f);
    for (int k = 0; k < K / 16; ++k) {
        wmma::load_matrix_sync(of_b, b + 16 * k * N + column, N);
        wmma::load_matrix_sync(of_a, a + row * K + 16 * k, K);
        wmma::mma_sync(sums, of_b, of_a, sums);
    }
    wmma::store_matrix_sync(&c[row * N + column], sums, N, wmma::mem_col_major);
}"""
matmul = cp.RawKernel(code, "matmul")

Capability = namedtuple("Capability", "major minor")
since = {"tf32": Capability(8, 0), "bf16": "8.0", "fp8": Capability(8, 9)}


def tf32(x):
    far = x * 8193.0
    return far - (far - x)
