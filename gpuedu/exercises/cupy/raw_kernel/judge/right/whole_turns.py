# Whole turns of the grid, each with a guard, and a device function.
normalize = cp.RawKernel(
    r"""
__device__ float unit(unsigned char p) { return p / 255.0f; }

extern "C" __global__
void normalize(const unsigned char* pixels, float* out, float mean, float std, int n) {
    int threads = blockDim.x * gridDim.x;
    for (int turn = 0; turn * threads < n; ++turn) {
        int i = turn * threads + blockIdx.x * blockDim.x + threadIdx.x;
        if (i >= n) continue;
        out[i] = unit(pixels[i]) / std - mean / std;
    }
}
""",
    "normalize",
)
