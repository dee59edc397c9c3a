# loses: inside
# every thread takes a column
row_softmax = cp.RawKernel(
    r"""
extern "C" __global__ void row_softmax(const float* x, float* y, int columns) {
    __shared__ float part[256];
    int t = threadIdx.x, row = blockIdx.x * columns;
    float own = x[row + t];
    part[t] = own;
    for (int gap = blockDim.x / 2; gap > 0; gap /= 2) {
        __syncthreads();
        if (t < gap) part[t] = fmaxf(part[t], part[t + gap]);
    }
    __syncthreads();
    float largest = part[0];
    __syncthreads();
    own = expf(own - largest);
    part[t] = own;
    for (int gap = blockDim.x / 2; gap > 0; gap /= 2) {
        __syncthreads();
        if (t < gap) part[t] += part[t + gap];
    }
    __syncthreads();
    y[row + t] = own / part[0];
}
""",
    "row_softmax",
)
