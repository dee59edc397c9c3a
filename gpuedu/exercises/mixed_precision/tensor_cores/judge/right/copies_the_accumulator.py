# a second accumulator takes the result, and is copied back
code = r"""
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

extern "C" __global__ void matmul(const half* a, const half* b, float* c, int M, int N, int K) {
    int row = 16 * blockIdx.y, column = 16 * blockIdx.x;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> of_a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> of_b;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> before, after;
    wmma::fill_fragment(before, 0.0f);
    const half *p = a + row * K, *q = b + column, *end = p + K;
    while (p < end) {
        wmma::load_matrix_sync(of_a, p, K);
        wmma::load_matrix_sync(of_b, q, N);
        wmma::mma_sync(after, of_a, of_b, before);
        before = after;
        p += 16;
        q += 16 * N;
    }
    wmma::store_matrix_sync(c + row * N + column, before, N, wmma::mem_row_major);
}"""
matmul = cp.RawKernel(code, "matmul")
