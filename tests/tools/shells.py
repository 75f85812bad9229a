# SPDX-License-Identifier: Apache-2.0
"""What zsh and fish themselves offer for the last word of a command line."""
import os
import pathlib
import pty
import select
import shlex
import subprocess
import tempfile
import time

# zsh completes at its prompt only. Each candidate goes through compadd, so
# that is where they are listed; the widget on TAB says when all are there.
_ZSHRC = r"""
fpath=({folder} $fpath)
autoload -Uz compinit && compinit -u -D
zmodload zsh/complist 2>/dev/null
zstyle ':completion:*' verbose no
compadd() {{
  if [[ ${{@[1,(i)(-|--)]}} == *-(O|A|D)\ * ]]; then
    builtin compadd "$@"
    return
  fi
  local -a offered
  builtin compadd -A offered "$@"
  print -rl -- "OFFER "$^offered >> {said}
  builtin compadd "$@"
}}
capture() {{ zle complete-word; print DONE >> {said}; zle kill-whole-line }}
zle -N capture
bindkey '^I' capture
PS1=''
print READY >> {said}
"""


class Zsh:
    """An interactive zsh of its own, without the machine's settings."""

    def __init__(self, completion):
        self._home = tempfile.TemporaryDirectory(prefix="inquest-zsh-")
        home = pathlib.Path(self._home.name)
        self._said = home / "said"
        self._said.touch()
        (home / ".zshrc").write_text(_ZSHRC.format(
            folder=shlex.quote(str(pathlib.Path(completion).parent)),
            said=shlex.quote(str(self._said))))
        self._shell, self._pty = None, None
        child, self._pty = pty.fork()
        if child == 0:
            os.chdir(home)
            os.execvpe("zsh", ["zsh", "--no-globalrcs", "-i"], {
                "PATH": os.environ["PATH"], "HOME": str(home),
                "ZDOTDIR": str(home), "TERM": "xterm", "LC_ALL": "C.UTF-8"})
        self._shell = child
        self._wait("READY")

    def _wait(self, word):
        until = time.monotonic() + 30
        while word not in self._said.read_text().split("\n"):
            if time.monotonic() > until:
                raise TimeoutError(self._said.read_text())
            # What it writes to its terminal has to be read, or it stops.
            if select.select([self._pty], [], [], 0.02)[0]:
                os.read(self._pty, 1 << 16)

    def offers(self, line):
        self._said.write_text("")
        os.write(self._pty, line.encode() + b"\t")
        self._wait("DONE")
        return [one[6:] for one in self._said.read_text().split("\n")
                if one.startswith("OFFER ") and one != "OFFER "]

    def close(self):
        os.close(self._pty)
        os.waitpid(self._shell, 0)
        self._home.cleanup()


def fish_offers(completion, line):
    """Without their descriptions."""
    with tempfile.TemporaryDirectory(prefix="inquest-fish-") as home:
        done = subprocess.run(
            ["fish", "--no-config", "-c",
             f"source {shlex.quote(str(completion))}; "
             f"complete -C {shlex.quote(line)}"],
            capture_output=True, text=True, check=False, cwd=home,
            env={"PATH": os.environ["PATH"], "HOME": home,
                 "LC_ALL": "C.UTF-8"})
    assert done.stderr == "", done.stderr
    return [one.split("\t")[0] for one in done.stdout.splitlines()]
