"""A name of a stub that its module lacks is an AttributeError, as of any other module; names that went say so."""

import sys

import pytest

from particlegvi.tools import lazy


@pytest.fixture
def package(tmp_path, monkeypatch):
    """The `lazy.attach` of a package whose stub names a number, a module, one that fails, and nothing."""
    monkeypatch.syspath_prepend(tmp_path)
    folder = tmp_path / "lazily"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "some.py").write_text("number = 3\n")
    (folder / "broken.py").write_text("import nothing_of_this_name\n")
    (folder / "__init__.pyi").write_text(
        "from lazily import broken as broken, some as some\nfrom lazily.some import number as number, other as other\n"
    )
    import lazily

    yield lazy.attach(lazily.__name__)[0]
    for name in [each for each in sys.modules if each.partition(".")[0] == "lazily"]:
        del sys.modules[name]


def test_names_are_imported_at_their_first_use(package):
    assert package("number") == 3 and package("some").number == 3
    with pytest.raises(AttributeError, match="^module 'lazily' has no attribute 'nought'$"):
        package("nought")
    with pytest.raises(AttributeError, match="^module 'lazily' has no attribute 'other': there is no lazily.some."):
        package("other")
    with pytest.raises(ModuleNotFoundError, match="nothing_of_this_name"):  # of the module itself
        package("broken")
