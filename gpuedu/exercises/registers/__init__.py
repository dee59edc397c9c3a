"""The lesson registers: from a tenth of what a library reaches to its speed, rung by rung."""
