"""What golden tests share: a command as a reader of its terminal sees it."""
import os
import subprocess

INQUEST = os.environ["INQUEST"]


def run(arguments, folder):
    return subprocess.run([INQUEST, *arguments], cwd=folder, text=True,
                          capture_output=True, timeout=120,
                          stdin=subprocess.DEVNULL)


def printed(arguments, folder):
    result = run(arguments, folder)
    parts = [f"$ inquest {' '.join(arguments)}", result.stdout.rstrip("\n")]
    if result.stderr:
        parts += ["--- stderr", result.stderr.rstrip("\n")]
    parts.append(f"--- exit {result.returncode}")
    return "\n".join(part for part in parts if part) + "\n"
