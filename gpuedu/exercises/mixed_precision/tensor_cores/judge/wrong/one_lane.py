# loses: warp
# asks: A fragment is spread over 32 lanes: none of them can load its part alone. Is there an
#   `if` around it that parts a warp?
code = r"""
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

extern "C" __global__ void matmul(const half* a, const half* b, float* c, int M, int N, int K) {
    int row = 16 * blockIdx.y, column = 16 * blockIdx.x;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> of_a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> of_b;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums;
    wmma::fill_fragment(sums, 0.0f);
    if (threadIdx.x == 0) for (int k = 0; k < K; k += 16) {
        wmma::load_matrix_sync(of_a, a + row * K + k, K);
        wmma::load_matrix_sync(of_b, b + k * N + column, N);
        wmma::mma_sync(sums, of_a, of_b, sums);
    }
    wmma::store_matrix_sync(c + row * N + column, sums, N, wmma::mem_row_major);
}"""
matmul = cp.RawKernel(code, "matmul")

since = {"tf32": 8.0, "bf16": 8.0, "fp8": 8.9}


def tf32(x):
    bits = x.view(torch.int32) + 2**12
    return (bits & -(2**13)).view(torch.float32)
