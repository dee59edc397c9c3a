# loses: smallest
# rounds up with the copies, so that a tie counts
def break_even_with_copies(
    launch_s, cpu_elements_per_s, gpu_elements_per_s, link_bytes_per_s, bytes_per_element
):
    gain = 1 / cpu_elements_per_s - 1 / gpu_elements_per_s
    gain -= bytes_per_element / link_bytes_per_s
    return math.ceil(launch_s / gain) if gain > 0 else math.inf
