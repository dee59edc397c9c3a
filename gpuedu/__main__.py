"""``python -m gpuedu``: the command line, from a bare checkout too."""

from gpuedu.cli import main

main()
