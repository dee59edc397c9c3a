// c = a @ b, each thread OWN_ROWS x OWN_COLUMNS elements in its registers. a is (m, k), b is (k, n),
// c is (m, n), row by row, of any size.
// Launch: ROWS / OWN_ROWS * COLUMNS / OWN_COLUMNS threads in x; a block for each ROWS x COLUMNS of c.
// Each thread writes its own elements; two barriers a step, as in the tiled kernel: no race.
template <int ROWS, int COLUMNS, int DEPTH, int OWN_ROWS, int OWN_COLUMNS>
__global__ void register_tile(const float* a, const float* b, float* c, int m, int n, int k) {
    constexpr int DOWN = ROWS / OWN_ROWS, ACROSS = COLUMNS / OWN_COLUMNS;
    constexpr int THREADS = DOWN * ACROSS;
    __shared__ float tile_a[DEPTH][ROWS + 4];  // 4 more, so that a warp stores to 32 banks
    __shared__ float tile_b[DEPTH][COLUMNS];
    float total[OWN_ROWS][OWN_COLUMNS] = {};
    float of_a[OWN_ROWS], of_b[OWN_COLUMNS];
    int t = threadIdx.x, y = t / ACROSS, x = t % ACROSS;
    int top = blockIdx.y * ROWS, left = blockIdx.x * COLUMNS;

    for (int start = 0; start < k; start += DEPTH) {
        for (int at = t; at < ROWS * DEPTH; at += THREADS) {
            int row = top + at / DEPTH, step = start + at % DEPTH;
            tile_a[at % DEPTH][at / DEPTH] = row < m && step < k ? a[row * k + step] : 0.0f;
        }
        for (int at = t; at < DEPTH * COLUMNS; at += THREADS) {
            int step = start + at / COLUMNS, column = left + at % COLUMNS;
            tile_b[at / COLUMNS][at % COLUMNS] = step < k && column < n ? b[step * n + column] : 0.0f;
        }
        __syncthreads();
        #pragma unroll
        for (int step = 0; step < DEPTH; step++) {
            #pragma unroll
            for (int i = 0; i < OWN_ROWS; i++) of_a[i] = tile_a[step][y + i * DOWN];
            #pragma unroll
            for (int j = 0; j < OWN_COLUMNS; j++) of_b[j] = tile_b[step][x + j * ACROSS];
            #pragma unroll
            for (int i = 0; i < OWN_ROWS; i++) {
                #pragma unroll
                for (int j = 0; j < OWN_COLUMNS; j++) total[i][j] += of_a[i] * of_b[j];
            }
        }
        __syncthreads();
    }
    for (int i = 0; i < OWN_ROWS; i++) {
        for (int j = 0; j < OWN_COLUMNS; j++) {
            int row = top + y + i * DOWN, column = left + x + j * ACROSS;
            if (row < m && column < n) c[row * n + column] = total[i][j];
        }
    }
}
