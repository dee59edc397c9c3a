# loses: once
# begins at threadIdx.x
normalise = cp.RawKernel(
    r"""
extern "C" __global__
void normalise(const unsigned char* pixels, float* out, float mean, float std, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        out[i] = (pixels[i] / 255.0f - mean) / std;
}
""",
    "normalise",
)
