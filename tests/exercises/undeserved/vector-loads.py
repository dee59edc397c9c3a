# must lose: inside
code = (
    helpers
    + r"""
extern "C" __global__ void matmul(const float* a, const float* b, float* c, int M, int N, int K) {
    float sums[4][4] = {};
    put(sums, c, M, N, 64 * blockIdx.y + 4 * threadIdx.y, 64 * blockIdx.x + 4 * threadIdx.x);
}"""
)
matmul = cp.RawKernel(code, "matmul")
