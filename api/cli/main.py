"""The command `palimpsest`: what each command promises about its exit code, its output and its servers.

Exit codes: 0 fine, 1 the check found something (a refused line, a quarantined row, a missing answer), 2 the command
could not be carried out as given (a setting, an argument, a server that is away): one message on stderr names the
setting or field and the remedy. 130 after Ctrl-C, 143 after SIGTERM; both let go of everything first.

Servers: `DATABASE_URL` and `BROKER_URL` where they are set; otherwise the embedded ones of the data directory, see
`api.cli.servers`. Importing this module loads no model, no driver and no web framework; a command imports what it
needs when it runs.
"""

from __future__ import annotations

import os
import signal
import sys
import traceback
from types import FrameType
from typing import NoReturn

import typer
from typer.exceptions import TyperException

from api.cli import (
    bench,
    demo,
    doctor,
    edit,
    episode,
    facts,
    failures,
    feedback,
    forget,
    import_,
    processes,
    recall,
    remember,
    rules,
    stats,
    status,
    sweep,
    terminal,
    trust,
    up,
    why,
)
from api.cli.eval import app as eval_app
from deploy.embedded import EmbeddedError
from schema.errors import PalimpsestError, StoreUnavailable

app = typer.Typer(
    name="palimpsest",
    help="Long-term memory for LLM agents.",
    epilog="Exit codes: 0 fine, 1 the check found something, 2 wrong usage or a server that is away.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
_RUN, _USE, _CORRECT, _KEEP, _MEASURE = "Run it", "Use it", "Correct it", "Keep it true", "Measure it"

app.command("up", rich_help_panel=_RUN)(up.up)
app.command("demo", rich_help_panel=_RUN)(demo.demo)
app.command("migrate", rich_help_panel=_RUN)(processes.migrate)
app.command("serve", rich_help_panel=_RUN)(processes.serve)
app.command("worker", rich_help_panel=_RUN)(processes.worker)
app.command("beat", rich_help_panel=_RUN)(processes.beat)
app.command("remember", rich_help_panel=_USE)(remember.remember)
app.command("import", rich_help_panel=_USE)(import_.import_)
app.command("recall", rich_help_panel=_USE)(recall.recall)
app.command("facts", rich_help_panel=_USE)(facts.facts)
app.command("memories", rich_help_panel=_USE)(facts.memories)
app.command("why", rich_help_panel=_USE)(why.why)
app.command("feedback", rich_help_panel=_CORRECT)(feedback.feedback)
app.command("edit", rich_help_panel=_CORRECT)(edit.edit)
app.command("trust", rich_help_panel=_CORRECT)(trust.trust)
app.command("forget", rich_help_panel=_CORRECT)(forget.forget)
app.command("status", rich_help_panel=_KEEP)(status.status)
app.command("episode", rich_help_panel=_KEEP)(episode.episode)
app.command("doctor", rich_help_panel=_KEEP)(doctor.doctor)
app.command("sweep", rich_help_panel=_KEEP)(sweep.sweep)
app.add_typer(rules.app, name="rules", rich_help_panel=_KEEP)
app.add_typer(failures.app, name="failures", rich_help_panel=_KEEP)
app.command("stats", rich_help_panel=_MEASURE)(stats.stats)
app.add_typer(eval_app, name="eval", rich_help_panel=_MEASURE)
app.add_typer(bench.app, name="bench", rich_help_panel=_MEASURE)


class Terminated(SystemExit):
    """SIGTERM, as an exception, so that everything is let go of on the way out."""


def _terminate(_signal: int, _frame: FrameType | None) -> NoReturn:
    # Once is enough: a second one must not interrupt the stopping.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise Terminated(143)


def main(arguments: list[str]) -> int:
    """Carry out one command line and return its exit code."""
    terminal.use_utf8()
    try:
        code = app(args=arguments, prog_name="palimpsest", standalone_mode=False)
        sys.stdout.flush()
    except TyperException as error:
        _complain(error)
        return error.exit_code
    except (PalimpsestError, EmbeddedError) as error:
        terminal.say(f"palimpsest: {_sentence(error)}")
        return 2
    except typer.Abort:
        return 130
    except BrokenPipeError:
        # Whoever read our answer has seen enough. What is still buffered must not complain at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:  # noqa: BLE001 - a fault of ours, told without spreading what was in memory
        terminal.say(f"palimpsest: {_fault(error)}")
        return 2
    return code if isinstance(code, int) else 0


def _complain(error: TyperException) -> None:
    show = getattr(error, "show", None)
    if show is not None:
        show()
    else:
        terminal.say(f"palimpsest: {error}")


def _sentence(error: Exception) -> str:
    text = str(error)
    if isinstance(error, StoreUnavailable):
        where = "is DATABASE_URL right, and does its server run?" if os.environ.get("DATABASE_URL") else ""
        return f"{text}; {where or 'see the log directory beside the data, or run `palimpsest doctor`'}"
    return text


def _fault(error: Exception) -> str:
    if os.environ.get("PALIMPSEST_LOG_LEVEL", "").upper() == "DEBUG":
        return "".join(traceback.format_exception(error))
    last = traceback.extract_tb(error.__traceback__)[-1]
    place = "/".join(last.filename.rsplit("/", 3)[1:])
    return (
        f"{type(error).__name__} at {place}:{last.lineno}, which should not happen; "
        "set PALIMPSEST_LOG_LEVEL=DEBUG to see how it came about"
    )


def run() -> NoReturn:
    """Entry point of the console script."""
    signal.signal(signal.SIGTERM, _terminate)
    sys.exit(main(sys.argv[1:]))


if __name__ == "__main__":
    run()
