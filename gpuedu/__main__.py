"""``python -m gpuedu``: the command line, from a bare checkout too.

``record`` goes its own way: it also runs where the command line's own packages are not installed.
"""

import sys

if sys.argv[1:2] == ["record"]:
    from gpuedu.recording.command import main as record

    sys.exit(record(sys.argv[2:]))

from gpuedu.cli import main

main()
