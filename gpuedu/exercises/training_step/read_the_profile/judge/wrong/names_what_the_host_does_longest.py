# loses: worst
# asks: That is 2% of its time. When the device does nothing, what does the host do, just then?
worst = {"A": "copies", "B": "launches", "C": "launches"}
