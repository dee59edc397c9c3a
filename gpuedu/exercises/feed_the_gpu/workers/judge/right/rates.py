# the least of what each can deliver
def batches_per_s(workers, read_s, decode_s, copy_s, step_s, cores):
    rates = [1 / (copy_s + step_s), 1 / read_s, cores / decode_s]
    rates.append(workers / (read_s + decode_s))
    return min(rates) if workers else 1 / sum([read_s, decode_s, copy_s, step_s])
