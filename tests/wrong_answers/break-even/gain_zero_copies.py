# loses: never
# divides by zero when the copies take all that the GPU gains
def break_even_with_copies(
    launch_s, cpu_elements_per_s, gpu_elements_per_s, link_bytes_per_s, bytes_per_element
):
    gain = 1 / cpu_elements_per_s - 1 / gpu_elements_per_s - bytes_per_element / link_bytes_per_s
    return math.floor(launch_s / gain) + 1 if gain >= 0 else math.inf
