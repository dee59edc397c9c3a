# tiles pass through shared memory
code = r"""
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

extern "C" __global__ void matmul(const half* a, const half* b, float* c, int M, int N, int K) {
    int row = 16 * blockIdx.y, column = 16 * blockIdx.x;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> of_a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> of_b;
    __shared__ alignas(32) half tile_a[16 * 24];
    __shared__ alignas(32) half tile_b[16 * 24];
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums;
    wmma::fill_fragment(sums, 0.0f);
    for (int k = 0; k < K; k += 16) {
        for (int n = threadIdx.x; n < 256; n += 32) {
            tile_a[n / 16 * 24 + n % 16] = a[(row + n / 16) * K + k + n % 16];
            tile_b[n / 16 * 24 + n % 16] = b[(k + n / 16) * N + column + n % 16];
        }
        __syncthreads();
        wmma::load_matrix_sync(of_a, tile_a, 24);
        wmma::load_matrix_sync(of_b, tile_b, 24);
        wmma::mma_sync(sums, of_a, of_b, sums);
        __syncthreads();
    }
    wmma::store_matrix_sync(c + row * N + column, sums, N, wmma::mem_row_major);
}"""
matmul = cp.RawKernel(code, "matmul")
