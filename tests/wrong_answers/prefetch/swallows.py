# loses: exceptions
# the end comes in any case, and nobody hears why
def prefetch(source, depth):
    box, end = queue.Queue(depth), object()

    def work():
        try:
            for item in source:
                box.put(item)
        except Exception:
            pass
        finally:
            box.put(end)

    threading.Thread(target=work, daemon=True).start()
    while (item := box.get()) is not end:
        yield item
