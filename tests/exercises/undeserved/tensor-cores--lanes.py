# must lose: tensor
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
    wmma::load_matrix_sync(of_a, a, K);
    wmma::load_matrix_sync(of_b, b, N);
    for (int k = 0; k < K; k += 16) wmma::mma_sync(sums, of_a, of_b, sums);
    wmma::store_matrix_sync(c + row * N + column, sums, N, wmma::mem_row_major);
    __syncthreads();
    for (int n = threadIdx.x; n < 256; n += 32) {
        float total = 0.0f;
        for (int k = 0; k < K; k++)
            total += __half2float(a[(row + n / 16) * K + k]) * __half2float(b[k * N + column + n % 16]);
        c[(row + n / 16) * N + column + n % 16] = total;
    }
}"""
matmul = cp.RawKernel(code, "matmul")
since = {}


def tf32(x):
    return x
