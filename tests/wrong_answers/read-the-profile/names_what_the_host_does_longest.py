# loses: worst


worst = {"A": "copies", "B": "launches", "C": "launches"}
