"""`shell`: what to put into the start-up file of a shell, of tmux or of a scheduler. Prints, changes nothing."""

from __future__ import annotations

import os
import sys

import click

from studyapp.cli.call import Call
from studyapp.cli.group import words
from studyapp.cli.output import say
from studyapp.core.prompt import prompt_file

COMPLETE = {"bash": "bash_source", "zsh": "zsh_source", "fish": "fish_source"}

POSIX = """\
# Cards due and streak, read from a small file by the shell alone: no process, no store, nothing that can hang.
studyapp_prompt() {{
  [ -r {path} ] || return 0
  local now=${{EPOCHSECONDS:-$(date +%s)}} start due streak cards=0 days=- word=days
  while read -r start due streak; do
    if [ "$start" -le "$now" ]; then cards=$due days=$streak; fi
  done < {path}
  [ "$cards" = 0 ] || printf '%s due ' "$cards"
  [ "$days" = 1 ] && word=day
  [ "$days" = - ] || [ "$days" = 0 ] || printf '%s %s ' "$days" "$word"
}}
# After a restart the file is not there yet: written in the background, once.
[ -e {path} ] || (studyapp status >/dev/null 2>&1 &)
"""
BASH = POSIX + "PS1='$(studyapp_prompt)'\"$PS1\"\n"
ZSH = (
    "zmodload zsh/datetime 2>/dev/null\n" + POSIX + "setopt prompt_subst\nPROMPT='$(studyapp_prompt)'\"$PROMPT\"\n"
)
FISH = """\
# Cards due and streak, read from a small file by the shell alone.
function studyapp_prompt
    test -r {path}; or return 0
    set -l now (date +%s)
    set -l cards 0
    set -l days -
    while read -l start due streak
        if test "$start" -le "$now"
            set cards $due
            set days $streak
        end
    end < {path}
    test "$cards" = 0; or echo -n "$cards due "
    set -l word days
    test "$days" = 1; and set word day
    test "$days" = -; or test "$days" = 0; or echo -n "$days $word "
end
# After a restart the file is not there yet: written in the background, once.
if not test -e {path}; and command -q studyapp
    studyapp status >/dev/null 2>&1 & disown
end
functions -q fish_prompt_before_studyapp; or functions -c fish_prompt fish_prompt_before_studyapp
function fish_prompt
    studyapp_prompt
    fish_prompt_before_studyapp
end
"""
STARSHIP = """\
# ~/.config/starship.toml
[custom.studyapp]
command = '''awk -v now=$(date +%s) '$1 <= now {{ due = $2 }} END {{ if (due) print due " due" }}' {path}'''
when = '''test -r {path}'''
shell = ["sh"]
format = "[$output]($style) "
style = "yellow"
"""
TMUX = """\
# ~/.tmux.conf: once a minute; tmux does not wait for it
set -g status-interval 60
set -g status-right "#({program} status) %H:%M"
"""
CRON = """\
# crontab -e: at 18:30 a line of mail (or a notification) on days with cards due
30 18 * * * {program} status --exit-code >/dev/null || echo "Cards are due: studyapp"
# on a desktop: 30 18 * * * {program} status --exit-code >/dev/null || notify-send "Cards are due"
"""
SYSTEMD = """\
# ~/.config/systemd/user/studyapp.service
[Unit]
Description=Remind of cards that are due
[Service]
Type=oneshot
ExecStart=/bin/sh -c '{program} status --exit-code >/dev/null || notify-send "Cards are due"'

# ~/.config/systemd/user/studyapp.timer   (then: systemctl --user enable --now studyapp.timer)
[Unit]
Description=Remind of cards that are due, every evening
[Timer]
OnCalendar=18:30
Persistent=true
[Install]
WantedBy=timers.target
"""
SNIPPETS = {
    "bash": BASH,
    "zsh": ZSH,
    "fish": FISH,
    "starship": STARSHIP,
    "tmux": TMUX,
    "cron": CRON,
    "systemd": SYSTEMD,
}


@words("shell")
@click.argument("what", type=click.Choice([*SNIPPETS]))
@click.option("--complete", is_flag=True, help="For bash, zsh, fish: completion of commands and options instead.")
@click.pass_obj
def shell_command(call: Call, what: str, complete: bool) -> int:
    """Print a snippet for a prompt, tmux or a reminder.

    eval "$(studyapp shell bash)" in ~/.bashrc shows the cards due in the prompt.
    """
    if complete:
        if what not in COMPLETE:
            raise click.UsageError("--complete is for bash, zsh and fish.")
        say(*_completion(what))
        return 0
    import shlex
    import shutil

    program = shlex.quote(shutil.which("studyapp") or "studyapp")
    say(SNIPPETS[what].format(path=_quoted(what), program=program).rstrip("\n"))
    return 0


def _quoted(what: str) -> str:
    """Return the file's path as the snippet names it: by its variable where that is what decides."""
    path = prompt_file(os.environ, sys.platform)
    runtime = os.environ.get("XDG_RUNTIME_DIR", "")
    if what in ("bash", "zsh", "fish") and runtime and path.startswith(runtime):
        return '"$XDG_RUNTIME_DIR/studyapp/prompt"'
    import shlex

    return shlex.quote(path)


def _completion(what: str) -> list[str]:
    from click.shell_completion import get_completion_class

    from studyapp.cli.main import studyapp

    kind = get_completion_class(what)
    assert kind is not None
    source = kind(studyapp, {}, "studyapp", "_STUDYAPP_COMPLETE")
    return [kind.source_template % source.source_vars()]
