# loses: sectors
# each thread a stretch of its own
normalise = cp.RawKernel(
    r"""
extern "C" __global__
void normalise(const unsigned char* pixels, float* out, float mean, float std, int n) {
    int threads = blockDim.x * gridDim.x;
    int each = (n + threads - 1) / threads;
    int first = (blockIdx.x * blockDim.x + threadIdx.x) * each;
    for (int i = first; i < first + each && i < n; i++)
        out[i] = (pixels[i] / 255.0f - mean) / std;
}
""",
    "normalise",
)
