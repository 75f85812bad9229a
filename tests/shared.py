# SPDX-License-Identifier: Apache-2.0
"""Where the files lie that are too large, or not ours, for the repository: real
artefacts (INQUEST_REALDATA) and labelled logs (INQUEST_CORPUS), else `realdata`
and `corpus` in a folder `shared` beside the checkout or above."""
import os
import pathlib
import sys

_WHAT = {"corpus": "labelled logs", "corpus-2": "labelled logs (second set)",
         "corpus-healthy": "logs in which nothing died",
         "corpus-hangs": "dumps of runs that hang",
         "realdata": "real files of other tools"}


def _variable(name):
    return f"INQUEST_{name.upper().replace('-', '_')}"


def folder(name, *below):
    """Whether it is there or not."""
    chosen = os.environ.get(_variable(name))
    source = pathlib.Path(os.environ["INQUEST_SOURCE_DIR"])
    places = ([pathlib.Path(chosen)] if chosen else
              [one / "shared" / name for one in source.parents])
    places = [place.joinpath(*below) for place in places]
    return next((place for place in places if place.is_dir()), places[0])


def missing(name):
    """Why a test is skipped that needs such a folder."""
    return (f"no {_WHAT[name]} on this machine ({_variable(name)}=DIR), so "
            "the README's figures about them were not repeated")


def exit_without(path, name):
    """Skips a whole test program, in ctest's way, where the folder is missing."""
    if not path.is_dir():
        print(f"skipped: {missing(name)}")
        sys.exit(77)
