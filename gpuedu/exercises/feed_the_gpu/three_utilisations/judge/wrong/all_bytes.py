# loses: window
# asks: A kernel that lies in the window in part moves a part of its bytes there. Which?
def memory_share(kernels, start_s, end_s, peak_bytes_per_s):
    moved = sum(size for a, b, _, size in kernels if b > start_s and a < end_s)
    return moved / (peak_bytes_per_s * (end_s - start_s))
