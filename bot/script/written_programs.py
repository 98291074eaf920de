"""Programs that a script writes itself before it starts them: `cat > train.py <<EOF`.

A notebook does so with `%%writefile train.py`. They are read as those of the repository are, in the
place of one that has the name; what stands in them is found at its place in the script.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import replace

from bot.frameworks import Checkout, ScriptPlace
from bot.frameworks.files.named_files import entry_file
from bot.frameworks.launchers.launch import unwrap
from bot.shell.words import Reading, WrittenFile


class WithPrograms(Mapping[str, bytes]):
    """A repository's files with programs that a script writes."""

    def __init__(self, files: Mapping[str, bytes], programs: Mapping[str, WrittenFile]) -> None:
        """`programs` are by path from the root."""
        self.programs = programs
        self._files = files

    def __getitem__(self, path: str) -> bytes:
        if path in self.programs:
            return self.programs[path].content.text.encode("utf-8", "replace")
        return self._files[path]

    def __iter__(self) -> Iterator[str]:
        yield from self.programs
        yield from (path for path in self._files if path not in self.programs)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def with_programs(place: ScriptPlace | None, reading: Reading, path: str) -> ScriptPlace | None:
    """The place of a script with the programs that it writes and starts; as it was without any.

    One of which a part is not known is not read, nor one that holds now this and now that. `path`
    is the script's, where it stands in no repository.
    """
    script = place.path if place is not None else posixpath.basename(path)
    programs: dict[str, WrittenFile] = {}
    changing = set[str]()
    for command in reading.commands:
        started = unwrap(command.argv) if command.files else None
        file = command.files.get(started.entry) if started is not None else None
        if started is None or file is None or file.unknown:
            continue
        name = posixpath.normpath(entry_file(started.entry))
        if name.startswith(("/", "${?", "..")):
            name = posixpath.basename(name)
        for at in (name, posixpath.join(posixpath.dirname(script), name)):
            if programs.setdefault(at, file).content.text != file.content.text:
                changing.add(at)
    programs = {at: file for at, file in programs.items() if at not in changing}
    if not programs:
        return place
    if place is None:
        return ScriptPlace(Checkout(WithPrograms({}, programs)), script)
    known = place.checkout
    files = WithPrograms(known.files, programs)
    return replace(place, checkout=Checkout(files, known.left, cut=known.cut))
