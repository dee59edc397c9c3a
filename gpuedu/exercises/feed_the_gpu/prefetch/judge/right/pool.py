# a pool of one thread, and futures in order
def prefetch(source, depth):
    from concurrent.futures import ThreadPoolExecutor

    items, end = iter(source), object()
    with ThreadPoolExecutor(1) as pool:
        waiting = [pool.submit(next, items, end) for _ in range(depth)]
        while (item := waiting.pop(0).result()) is not end:
            waiting.append(pool.submit(next, items, end))
            yield item
