// c = a @ b, one thread an element. a is (m, k), b is (k, n), c is (m, n), row by row.
// Launch: (32, 32) threads, x over the columns of c and y over its rows. Every thread writes its
// own element, so there is no race.
extern "C" __global__ void naive(const float* a, const float* b, float* c, int m, int n, int k) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= m || column >= n) return;
    float total = 0.0f;
    for (int step = 0; step < k; step++) {
        total += a[row * k + step] * b[step * n + column];
    }
    c[row * n + column] = total;
}
