# loses: never
# thinks a faster GPU always wins some day
def break_even_with_copies(
    launch_s, cpu_elements_per_s, gpu_elements_per_s, link_bytes_per_s, bytes_per_element
):
    if gpu_elements_per_s <= cpu_elements_per_s:
        return math.inf
    gain = 1 / cpu_elements_per_s - 1 / gpu_elements_per_s - bytes_per_element / link_bytes_per_s
    return math.floor(launch_s / gain) + 1 if gain else math.inf
