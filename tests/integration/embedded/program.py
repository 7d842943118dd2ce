"""An owner of an instance as a process of its own, for tests that kill it.

Arguments: the data directory, then what to do besides: `text`, `fork`, `stubborn`. It says one line of JSON, then
waits until its stdin closes.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

from deploy.embedded import EmbeddedError, Runtime


def main() -> None:
    data_dir = Path(sys.argv[1])
    options = sys.argv[2:]
    runtime = Runtime(data_dir)
    try:
        instance = runtime.start()
    except EmbeddedError as fault:
        say(error=str(fault))
        sys.exit(3)
    if "stubborn" in options:
        script = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)"
        runtime.supervise("stubborn", [sys.executable, "-c", script], grace=1.0)
    forked = 0
    if "fork" in options:
        # A process that shares this one's open files and outlives it, as a careless library would make.
        forked = os.fork()
        if forked == 0:
            # It lets go of the output only, or whoever reads it would wait for this one.
            os.close(1)
            time.sleep(600)
            os._exit(0)
    text = "漢字😀é"
    row = None
    if "text" in options:
        import psycopg

        with psycopg.connect(instance.database_url.replace("+psycopg", "")) as connection:
            row = connection.execute(
                "SELECT current_setting('server_encoding'), left(%s, 3), length(%s), lower('É'), "
                "(SELECT datcollate FROM pg_database WHERE datname = 'palimpsest')",
                (text, text),
            ).fetchone()
    say(
        pid=os.getpid(),
        forked=forked,
        url=instance.database_url,
        broker=instance.broker_url,
        socket_dir=str(instance.socket_dir),
        processes=[state.pid for state in runtime.states()],
        row=row,
    )
    sys.stdin.read()
    runtime.stop()
    say(stopped=True)


def say(**fields: object) -> None:
    # By descriptor and in ASCII: the locale of this process is what some tests spoil.
    os.write(1, json.dumps(fields).encode("ascii") + b"\n")


if __name__ == "__main__":
    main()
