# loses: with-copies
# hides the computing behind the copies
def break_even_with_copies(
    launch_s, cpu_elements_per_s, gpu_elements_per_s, link_bytes_per_s, bytes_per_element
):
    gpu_s = max(1 / gpu_elements_per_s, bytes_per_element / link_bytes_per_s)
    gain = 1 / cpu_elements_per_s - gpu_s
    return math.floor(launch_s / gain) + 1 if gain > 0 else math.inf
