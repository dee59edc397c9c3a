# loses: every
# counts an unsigned number down to 0 and on
normalise = cp.RawKernel(
    r"""
extern "C" __global__
void normalise(const unsigned char* pixels, float* out, float mean, float std, int n) {
    unsigned int step = blockDim.x * gridDim.x;
    for (unsigned int i = n - 1 - (blockIdx.x * blockDim.x + threadIdx.x); i >= 0; i -= step)
        if (i < n) out[i] = (pixels[i] / 255.0f - mean) / std;
}
""",
    "normalise",
)
