# must lose: formats
code = r"""
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

extern "C" __global__ void matmul(const half* a, const half* b, float* c, int M, int N, int K) {
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums;
    wmma::fill_fragment(sums, 0.0f);
    wmma::store_matrix_sync(c + 16 * blockIdx.y * N + 16 * blockIdx.x, sums, N, wmma::mem_row_major);
}"""
matmul = cp.RawKernel(code, "matmul")
since = dict.fromkeys(["tf32", "bf16", "fp8"], float("nan"))


def tf32(x):
    return x
