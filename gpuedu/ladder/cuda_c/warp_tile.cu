// c = a @ b: vector loads, warp tiles, and a second buffer. a is (m, k), b is (k, n), c is (m, n),
// row by row. WHOLE: the shape is made of whole tiles; without it, any size, with a guard at each
// access. BUFFERS: 1, or 2 to fetch the next tiles while the present ones are used. The compiler
// gives a thread no more registers than BLOCKS_PER_SM blocks on an SM leave; 0 lets it choose.
//
// A block computes ROWS x COLUMNS of c in steps of DEPTH along k; a warp's lanes stand LANE_ROWS by
// 32 / LANE_ROWS; a thread computes OWN_ROWS x OWN_COLUMNS in groups of 4 neighbors each way.
// The tile of a lies transposed, so that both tiles are read 16 bytes at a time.
//
// Launch: ROWS * COLUMNS / (OWN_ROWS * OWN_COLUMNS) threads in x, and a block for each ROWS x COLUMNS
// of c. Each thread writes its own elements. With one buffer there are two barriers a step: none
// reads a tile before it is full, none overwrites one that is read. With two, one barrier does both:
// behind it the next buffer is full, and nobody reads the one that is filled from then on. No race.

// Four neighbors of each of TURNS rows, STRIDE rows apart; what lies outside of x counts as 0.
template <int TURNS, int STRIDE, bool WHOLE>
__device__ __forceinline__ void fetch(const float* x, int rows, int columns, int row, int column,
                                      float4* next) {
    #pragma unroll
    for (int turn = 0; turn < TURNS; turn++) {
        int at = row + turn * STRIDE;
        const float* from = x + at * columns + column;
        if (WHOLE) {
            next[turn] = *reinterpret_cast<const float4*>(from);
        } else {
            next[turn].x = at < rows && column < columns ? from[0] : 0.0f;
            next[turn].y = at < rows && column + 1 < columns ? from[1] : 0.0f;
            next[turn].z = at < rows && column + 2 < columns ? from[2] : 0.0f;
            next[turn].w = at < rows && column + 3 < columns ? from[3] : 0.0f;
        }
    }
}

// Put rows of a into a tile as columns, TURNS of them, STRIDE apart.
template <int TURNS, int STRIDE, int PITCH>
__device__ __forceinline__ void keep_transposed(const float4* next, float* tile, int row, int step) {
    #pragma unroll
    for (int turn = 0; turn < TURNS; turn++) {
        int at = row + turn * STRIDE;
        tile[step * PITCH + at] = next[turn].x;
        tile[(step + 1) * PITCH + at] = next[turn].y;
        tile[(step + 2) * PITCH + at] = next[turn].z;
        tile[(step + 3) * PITCH + at] = next[turn].w;
    }
}

// Put rows of b into a tile, TURNS of them, STRIDE apart.
template <int TURNS, int STRIDE, int PITCH>
__device__ __forceinline__ void keep(const float4* next, float* tile, int step, int column) {
    #pragma unroll
    for (int turn = 0; turn < TURNS; turn++) {
        *reinterpret_cast<float4*>(&tile[(step + turn * STRIDE) * PITCH + column]) = next[turn];
    }
}

// Bring COUNT words to registers, in groups of 4 neighbors that are STEP words apart.
template <int COUNT, int STEP>
__device__ __forceinline__ void take(const float* tile, float* own) {
    #pragma unroll
    for (int group = 0; group < COUNT / 4; group++) {
        float4 four = *reinterpret_cast<const float4*>(&tile[group * STEP]);
        own[group * 4] = four.x;
        own[group * 4 + 1] = four.y;
        own[group * 4 + 2] = four.z;
        own[group * 4 + 3] = four.w;
    }
}

template <int ROWS, int COLUMNS, int DEPTH, int OWN_ROWS, int OWN_COLUMNS, int LANE_ROWS,
          int BLOCKS_PER_SM, int BUFFERS, bool WHOLE>
__global__ void __launch_bounds__(ROWS * COLUMNS / (OWN_ROWS * OWN_COLUMNS), BLOCKS_PER_SM)
warp_tile(const float* a, const float* b, float* c, int m, int n, int k) {
    constexpr int THREADS = ROWS * COLUMNS / (OWN_ROWS * OWN_COLUMNS);
    constexpr int LANE_COLUMNS = 32 / LANE_ROWS;
    constexpr int ROW_STEP = LANE_ROWS * 4, COLUMN_STEP = LANE_COLUMNS * 4;
    constexpr int WARPS_ACROSS = COLUMNS / (LANE_COLUMNS * OWN_COLUMNS);
    constexpr int A_TURNS = ROWS * DEPTH / 4 / THREADS, A_STRIDE = THREADS / (DEPTH / 4);
    constexpr int B_TURNS = DEPTH * COLUMNS / 4 / THREADS, B_STRIDE = THREADS / (COLUMNS / 4);
    constexpr int PITCH = ROWS + 4;  // 4 more: a warp's transposed stores go to 32 banks
    constexpr int GROUP = 8;  // rows of blocks that go on together, while their tiles are in L2
    __shared__ __align__(16) float tile_a[BUFFERS * DEPTH * PITCH];
    __shared__ __align__(16) float tile_b[BUFFERS * DEPTH * COLUMNS];
    float total[OWN_ROWS][OWN_COLUMNS] = {};
    float of_a[OWN_ROWS], of_b[OWN_COLUMNS];
    float4 next_a[A_TURNS], next_b[B_TURNS];

    int block = blockIdx.y * gridDim.x + blockIdx.x, band = GROUP * gridDim.x;
    int first = block / band * GROUP, height = min(GROUP, (int)gridDim.y - first);
    int top = (first + block % band % height) * ROWS, left = block % band / height * COLUMNS;
    int t = threadIdx.x, lane = t % 32, warp = t / 32;
    int row = warp / WARPS_ACROSS * LANE_ROWS * OWN_ROWS + lane / LANE_COLUMNS * 4;
    int column = warp % WARPS_ACROSS * LANE_COLUMNS * OWN_COLUMNS + lane % LANE_COLUMNS * 4;
    int row_a = t / (DEPTH / 4), step_a = t % (DEPTH / 4) * 4;
    int step_b = t / (COLUMNS / 4), column_b = t % (COLUMNS / 4) * 4;

    fetch<A_TURNS, A_STRIDE, WHOLE>(a, m, k, top + row_a, step_a, next_a);
    fetch<B_TURNS, B_STRIDE, WHOLE>(b, k, n, step_b, left + column_b, next_b);
    keep_transposed<A_TURNS, A_STRIDE, PITCH>(next_a, tile_a, row_a, step_a);
    keep<B_TURNS, B_STRIDE, COLUMNS>(next_b, tile_b, step_b, column_b);
    __syncthreads();

    int half = 0;
    for (int start = DEPTH; start < k + DEPTH; start += DEPTH) {
        if (start < k) {
            fetch<A_TURNS, A_STRIDE, WHOLE>(a, m, k, top + row_a, start + step_a, next_a);
            fetch<B_TURNS, B_STRIDE, WHOLE>(b, k, n, start + step_b, left + column_b, next_b);
        }
        const float* from_a = tile_a + half * DEPTH * PITCH + row;
        const float* from_b = tile_b + half * DEPTH * COLUMNS + column;
        #pragma unroll
        for (int step = 0; step < DEPTH; step++) {
            take<OWN_ROWS, ROW_STEP>(from_a + step * PITCH, of_a);
            take<OWN_COLUMNS, COLUMN_STEP>(from_b + step * COLUMNS, of_b);
            #pragma unroll
            for (int i = 0; i < OWN_ROWS; i++) {
                #pragma unroll
                for (int j = 0; j < OWN_COLUMNS; j++) total[i][j] += of_a[i] * of_b[j];
            }
        }
        if (start < k) {
            if (BUFFERS == 1) __syncthreads();
            half = BUFFERS - 1 - half;
            float* to_a = tile_a + half * DEPTH * PITCH;
            float* to_b = tile_b + half * DEPTH * COLUMNS;
            keep_transposed<A_TURNS, A_STRIDE, PITCH>(next_a, to_a, row_a, step_a);
            keep<B_TURNS, B_STRIDE, COLUMNS>(next_b, to_b, step_b, column_b);
            __syncthreads();
        }
    }

    #pragma unroll
    for (int i = 0; i < OWN_ROWS; i++) {
        #pragma unroll
        for (int group = 0; group < OWN_COLUMNS / 4; group++) {
            int at_row = top + row + i / 4 * ROW_STEP + i % 4;
            int at_column = left + column + group * COLUMN_STEP;
            float* to = c + at_row * n + at_column;
            const float* own = &total[i][group * 4];
            if (WHOLE) {
                *reinterpret_cast<float4*>(to) = make_float4(own[0], own[1], own[2], own[3]);
            } else if (at_row < m) {
                if (at_column < n) to[0] = own[0];
                if (at_column + 1 < n) to[1] = own[1];
                if (at_column + 2 < n) to[2] = own[2];
                if (at_column + 3 < n) to[3] = own[3];
            }
        }
    }
}
