// c = a @ b through tiles in shared memory. a is (m, k), b is (k, n), c is (m, n), row by row.
// Launch: (32, 32) threads, x over the columns of c and y over its rows; all threads of a block
// come to both barriers. The first lets no thread read a tile that is not full, the second none
// overwrite a tile that is still read, so there is no race. What lies outside counts as 0.
constexpr int SIDE = 32;

extern "C" __global__ void tiled(const float* a, const float* b, float* c, int m, int n, int k) {
    __shared__ float tile_a[SIDE][SIDE];
    __shared__ float tile_b[SIDE][SIDE];
    int x = threadIdx.x, y = threadIdx.y;
    int column = blockIdx.x * SIDE + x, row = blockIdx.y * SIDE + y;
    float total = 0.0f;
    for (int start = 0; start < k; start += SIDE) {
        tile_a[y][x] = row < m && start + x < k ? a[row * k + start + x] : 0.0f;
        tile_b[y][x] = start + y < k && column < n ? b[(start + y) * n + column] : 0.0f;
        __syncthreads();
        for (int step = 0; step < SIDE; step++) {
            total += tile_a[y][step] * tile_b[step][x];
        }
        __syncthreads();
    }
    if (row < m && column < n) c[row * n + column] = total;
}
