# pointers go along K
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
    const half *p = a + row * K, *q = b + column, *end = p + K;
    while (p < end) {
        wmma::load_matrix_sync(of_a, p, K);
        wmma::load_matrix_sync(of_b, q, N);
        wmma::mma_sync(sums, of_a, of_b, sums);
        p += 16;
        q += 16 * N;
    }
    wmma::store_matrix_sync(c + row * N + column, sums, N, wmma::mem_row_major);
}"""
matmul = cp.RawKernel(code, "matmul")
