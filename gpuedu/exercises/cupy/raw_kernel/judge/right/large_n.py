# An index of 64 bits, a cast instead of a literal with f.
normalize = cp.RawKernel(
    r"""
extern "C" __global__
void normalize(const unsigned char* pixels, float* out, float mean, float std, int n) {
    long long step = (long long)blockDim.x * gridDim.x;
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    for (; i < n; i += step) {
        float p = (float)pixels[i] / (float)255;
        out[i] = (p - mean) / std;
    }
}
""",
    "normalize",
)
