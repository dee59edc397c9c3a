# loses: hidden
# asks: The first all-reduce was called when the backward pass was over. Who could call it earlier?
def attach(buckets):
    def finish():
        for bucket in buckets:
            flat = flatten(bucket)
            dist.all_reduce(flat)
            write_back(flat / dist.get_world_size(), bucket)

    return finish
