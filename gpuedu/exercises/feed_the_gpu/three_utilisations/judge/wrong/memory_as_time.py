# loses: memory
# asks: That is the share of time in which bytes moved. How many, of how many possible?
def memory_share(kernels, start_s, end_s, peak_bytes_per_s):
    return gpu_util([k for k in kernels if k[3]], start_s, end_s)
