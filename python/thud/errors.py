# SPDX-License-Identifier: Apache-2.0
"""What can go wrong, one class for each way."""

from __future__ import annotations


from collections.abc import Iterable

from . import _core


class Error(Exception):
    """Anything that thud raises of its own."""


class LoadError(Error, ValueError):
    """A file that is no model. `str` of it is ``file:line:column: sentence``; `file`, `line` and `column` are None where unknown."""

    def __init__(self, text: str, file: str | None = None, line: int | None = None, column: int | None = None) -> None:
        place = ":".join(str(part) for part in (file, line, column) if part)
        super().__init__(f"{place}: {text}" if place else text)
        self.text, self.file, self.line, self.column = text, file, line, column

    def __reduce__(self) -> tuple:
        return LoadError, (self.text, self.file, self.line, self.column)


class BadArgument(Error, ValueError):
    """An argument is outside what the function takes."""


class Unsupported(Error, NotImplementedError):
    """Understood, but not supported; the sentence says by what."""


class NotFinite(Error, ArithmeticError):
    """A number became infinite or not a number. The state is as it was before the step."""


class NotSolved(Error, ArithmeticError):
    """A contact problem could not be solved to the tolerance. The state is as it was before the step."""


class Wrong(Error):
    """A step was taken whose result is not what the law says: `doubts` tells where and by how much."""

    def __init__(self, text: str, doubts: list | None = None) -> None:
        super().__init__(text)
        self.doubts = doubts or []

    def __reduce__(self) -> tuple:
        return Wrong, (self.args[0], self.doubts)


def _fail(status: int, text: str, file: str | None, line: int, column: int) -> None:
    """Raises what belongs to a thud_status: called by the module in C."""
    if status in (2, 3) or (status == 4 and file):  # BAD_FILE, BAD_MODEL
        error = LoadError(text, file, line or None, column or None)
        raise error
    kinds = {1: BadArgument, 4: Unsupported, 5: MemoryError, 6: NotFinite, 7: NotSolved}
    raise kinds.get(status, Error)(text)


_core.set_fail(_fail)


def did_you_mean(word: object, known: Iterable[str | None]) -> str:
    """" Did you mean 'x'?", or "" where nothing is near."""
    import difflib

    near = difflib.get_close_matches(str(word), [name for name in known if name], 3, 0.5)
    return " Did you mean " + " or ".join(f"'{name}'" for name in near) + "?" if near else ""
