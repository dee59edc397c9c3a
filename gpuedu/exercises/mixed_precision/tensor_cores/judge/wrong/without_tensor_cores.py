# loses: tensor
# asks: Which function multiplies two fragments, and how many steps of 16 does K have?
code = r"""
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

extern "C" __global__ void matmul(const half* a, const half* b, float* c, int M, int N, int K) {
    int row = 16 * blockIdx.y, column = 16 * blockIdx.x;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> of_a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> of_b;
    for (int n = threadIdx.x; n < 256; n += 32) {
        float sum = 0.0f;
        for (int k = 0; k < K; k++)
            sum += __half2float(a[(row + n / 16) * K + k]) * __half2float(b[k * N + column + n % 16]);
        c[(row + n / 16) * N + column + n % 16] = sum;
    }
}"""
matmul = cp.RawKernel(code, "matmul")

since = {"tf32": 8.0, "bf16": 8.0, "fp8": 8.9}


def tf32(x):
    bits = x.view(torch.int32) + 2**12
    return (bits & -(2**13)).view(torch.float32)
