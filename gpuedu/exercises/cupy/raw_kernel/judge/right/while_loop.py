# A while loop, factors computed once.
normalize = cp.RawKernel(
    r"""
extern "C" __global__
void normalize(const unsigned char* pixels, float* out, float mean, float std, int n) {
    const float scale = 1.0f / (255.0f * std), shift = mean / std;
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    while (i < n) {
        out[i] = pixels[i] * scale - shift;
        i += blockDim.x * gridDim.x;
    }
}
""",
    "normalize",
)
