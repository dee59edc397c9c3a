# loses: exceptions
# asks: The training would end too soon, and nobody would know why. Where does the exception go
#   that ends your thread?
def prefetch(source, depth):
    box, end, faults = queue.Queue(depth), object(), []

    def work():
        try:
            for item in source:
                box.put(item)
        except Exception as fault:
            faults.append(fault)
        box.put(end)

    threading.Thread(target=work, daemon=True).start()
    while True:
        if faults:
            raise faults[0]
        item = box.get()
        if item is end:
            return
        yield item
