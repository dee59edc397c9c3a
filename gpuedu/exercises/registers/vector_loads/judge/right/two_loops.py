# one loop for each tile; rows of a wider pad
code = (
    helpers
    + r"""
extern "C" __global__ void matmul(const float* a, const float* b, float* c, int M, int N, int K) {
    __shared__ __align__(16) float b_tile[8][64];
    float sums[4][4] = {};
    int x = threadIdx.x, y = threadIdx.y, top = 64 * blockIdx.y, left = 64 * blockIdx.x;
    __shared__ __align__(16) float a_tile[8][76];
    for (int first = 0; first < K; first += 8) {
        for (int n = 16 * y + x; n < 512; n += 256) {
            a_tile[n % 8][n / 8] = at(a, M, K, top + n / 8, first + n % 8);
        }
        for (int n = 16 * y + x; n < 512; n += 256) {
            b_tile[n / 64][n % 64] = at(b, K, N, first + n / 64, left + n % 64);
        }
        __syncthreads();
        for (int k = 0; k < 8; k++)
            add_products(sums, *(float4*)&a_tile[k][4 * y], *(float4*)&b_tile[k][4 * x]);
        __syncthreads();
    }
    put(sums, c, M, N, top + 4 * y, left + 4 * x);
}"""
)
matmul = cp.RawKernel(code, "matmul")
