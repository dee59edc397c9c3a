# loses: exceptions
# asks: The loop just ends there, as if that were all. When an exception has ended your thread,
#   what becomes of it, and who looks?
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
