# even and odd steps have sums of their own
code = r"""
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

extern "C" __global__ void matmul(const half* a, const half* b, float* c, int M, int N, int K) {
    int row = 16 * blockIdx.y, column = 16 * blockIdx.x;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> of_a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> of_b;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums[2];
    for (int i = 0; i < 2; i++) wmma::fill_fragment(sums[i], 0.0f);
    for (int k = 0; k < K; k += 16) {
        wmma::load_matrix_sync(of_a, a + row * K + k, K);
        wmma::load_matrix_sync(of_b, b + k * N + column, N);
        wmma::mma_sync(sums[k / 16 % 2], of_a, of_b, sums[k / 16 % 2]);
    }
    for (int i = 0; i < sums[0].num_elements; i++) sums[0].x[i] += sums[1].x[i];
    wmma::store_matrix_sync(c + row * N + column, sums[0], N, wmma::mem_row_major);
}"""
matmul = cp.RawKernel(code, "matmul")
