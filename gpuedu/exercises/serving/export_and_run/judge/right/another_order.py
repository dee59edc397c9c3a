# More entries than were asked for, and another order.
exports = dict.fromkeys(("loop over blocks", "number of scores", "where on scores"), "works")
exports |= dict.fromkeys(("one text", "loop over length", "if on length", "if on scores"), "error")
calls = dict.fromkeys(("5 texts of 40", "1 text of 64", "loaded weights"), "right")
calls |= {"sharpen 2": "error", "1 text of 65": "error"}
calls |= {"another norm": "frozen", "temperature": "frozen"}
mends = {
    "another norm": "load_state_dict",
    "temperature": "buffer",
    "sharpen 2": "tensor argument",
    "if on length": "two exports",
    "if on scores": "torch.where",
}
