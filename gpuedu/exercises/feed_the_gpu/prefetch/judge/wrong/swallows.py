# loses: exceptions
# asks: The training would end too soon, and nobody would know why. Where does the exception go
#   that ends your thread?
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
