"""PEP 440 as `packaging` reads it, without packaging."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from packaging.specifiers import SpecifierSet
from packaging.version import Version as Reference

from ringup.agent.python_packages.versions import Version, satisfies, split_specifiers

NUMBERS = st.integers(0, 12)
RELEASES = st.lists(NUMBERS, min_size=1, max_size=4).map(lambda parts: ".".join(str(part) for part in parts))
ENDINGS = st.sampled_from(["", "", "a1", "b2", "rc1", ".post1", ".post0", ".dev3", "a1.dev2", "rc1.post2", "-1", ".preview2", "c4"])
LOCALS = st.sampled_from(["", "", "", "+cpu", "+cu128", "+1", "+1.local-2"])
EPOCHS = st.sampled_from(["", "", "", "", "1!"])
VERSIONS = st.builds(lambda epoch, release, ending, local: epoch + release + ending + local, EPOCHS, RELEASES, ENDINGS, LOCALS)


@given(VERSIONS, VERSIONS)
@example("1.0", "1.0.0")
@example("1.0.dev1", "1.0a1")
@example("1.0+cpu", "1.0")
def test_versions_sort_as_packaging_sorts_them(one, other):
    assert (Version(one).key() < Version(other).key()) == (Reference(one) < Reference(other))
    assert (Version(one).key() == Version(other).key()) == (Reference(one) == Reference(other))


@given(VERSIONS, st.sampled_from(["==", "!=", "<", ">", "<=", ">=", "~="]), VERSIONS, st.sampled_from(["", ".*"]))
@example("2.13.0+cpu", "==", "2.13.0", "")
@example("2.0rc1", "<", "2.0", "")
@example("1.0.post1", ">", "1.0", "")
def test_specifiers_hold_as_packaging_says(version, operator, wanted, ending):
    if operator in ("==", "!=") and ending:
        wanted = wanted.split("+")[0] + ending
    try:
        reference = SpecifierSet(operator + wanted)
    except ValueError:
        return  # no specifier: a local label with <, a `.*` after a pre-release, ~= with one number
    assert satisfies(version, split_specifiers(operator + wanted)) == reference.contains(version, prereleases=True)


@pytest.mark.parametrize("text", ["=1.0", ">>1", "1.0", "latest"])
def test_what_is_no_specifier_is_refused(text):
    with pytest.raises(ValueError, match="specifier"):
        split_specifiers(text)
