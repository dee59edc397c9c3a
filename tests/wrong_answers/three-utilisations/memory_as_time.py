# loses: memory
# the share of time in which some bytes moved, as nvidia-smi has it
def memory_share(kernels, start_s, end_s, peak_bytes_per_s):
    return gpu_util([k for k in kernels if k[3]], start_s, end_s)
