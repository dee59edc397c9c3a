# loses: every
# a guard, one element each
normalise = cp.RawKernel(
    r"""
extern "C" __global__
void normalise(const unsigned char* pixels, float* out, float mean, float std, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = (pixels[i] / 255.0f - mean) / std;
}
""",
    "normalise",
)
