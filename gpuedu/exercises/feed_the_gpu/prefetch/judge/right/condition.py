# a list under a lock, and two that wait for each other
def prefetch(source, depth):
    ready, changed = [], threading.Condition()
    state = {"stop": False}

    def hand_over(entry):
        with changed:
            changed.wait_for(lambda: len(ready) < depth or state["stop"])
            ready.append(entry)
            changed.notify_all()

    def work():
        try:
            for item in source:
                hand_over((True, item))
                if state["stop"]:
                    return
            hand_over((False, None))
        except BaseException as fault:
            hand_over((False, fault))

    threading.Thread(target=work).start()
    try:
        while True:
            with changed:
                changed.wait_for(lambda: ready)
                is_item, value = ready.pop(0)
                changed.notify_all()
            if is_item:
                yield value
            elif value is None:
                return
            else:
                raise value
    finally:
        with changed:
            state["stop"] = True
            changed.notify_all()
