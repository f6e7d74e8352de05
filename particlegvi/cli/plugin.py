"""The command ``new-plugin``: a small package with parts, which installs and passes its tests."""

from __future__ import annotations

import argparse

from particlegvi.cli.options import Commands, option

COMMANDS = Commands()
NAME = r"[a-z][a-z0-9]*(-[a-z0-9]+)*"


@COMMANDS(
    "write a small package with parts of your own",
    option("name", "name of the package and of its folder, which must not exist", metavar="NAME"),
    name="new-plugin",
)
def new_plugin(options: argparse.Namespace) -> None:
    import keyword
    import re
    import tomllib
    from importlib.util import find_spec
    from pathlib import Path

    from particlegvi.tools import files
    from particlegvi.tools.quoting import refuse

    name = options.name
    if not re.fullmatch(NAME, name) or len(name) > 40:
        raise refuse("NAME", name, "small letters, digits and hyphens between them, such as my-parts (at most 40)")
    module = name.replace("-", "_")
    folder = Path(name)
    if keyword.iskeyword(module) or (find_spec(module) is not None and not folder.exists()):
        raise refuse("NAME", name, "another name than a word of Python, or a module that is installed")
    try:
        folder.mkdir()
        content = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
        for place, text in content["files"].items():
            for word, own in (("NAME", name), ("MODULE", module)):
                place, text = place.replace(word, own), text.replace(word, own)
            (folder / place).parent.mkdir(parents=True, exist_ok=True)
            files.write_text(folder / place, text)
    except FileExistsError:
        raise ValueError(f"{folder} exists and is left as it is; choose another name") from None
    except OSError as error:
        raise ValueError(f"{folder} cannot be written: {error.strerror}") from None
    print(
        f"{folder} is written; to install it and run its tests say: pip install -e './{name}[test]' && pytest {name};"
        f" then particlegvi run {name}-first runs its scenario"
    )
