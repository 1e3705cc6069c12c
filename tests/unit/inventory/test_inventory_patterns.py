import pytest
from hypothesis import given
from hypothesis import strategies as st

from ringup.errors import InventoryError
from ringup.inventory import fold, load_inventory, unfold


@pytest.fixture(scope="module")
def inventory(tmp_path_factory):
    path = tmp_path_factory.mktemp("inventory") / "hosts.ini"
    path.write_text(
        "[parent:children]\nchild\nother\n[child]\nn1\nn2\nn3\n[other]\nn3\nn4\n"
        "[gpu-rack]\nnode[01:04]\n[v6]\nten ansible_host=fe80::1\n[empty]\n"
    )
    return load_inventory([path])


PATTERNS = [
    ("all", "node01 node02 node03 node04 ten n1 n2 n3 n4"),
    ("*", "node01 node02 node03 node04 ten n1 n2 n3 n4"),
    ("child", "n1 n2 n3"),
    ("parent", "n1 n2 n3 n4"),
    ("child:other", "n1 n2 n3 n4"),
    ("child,other", "n1 n2 n3 n4"),
    ("child:&other", "n3"),
    ("child:!n2", "n1 n3"),
    ("!n2:child", "n1 n3"),
    ("child:!other:n4", "n1 n2"),
    ("!child", "node01 node02 node03 node04 ten n4"),
    ("&other", "n3 n4"),
    ("child[0]", "n1"),
    ("child[-1]", "n3"),
    ("child[0:1]", "n1 n2"),
    ("child[1:]", "n2 n3"),
    ("child[0-1]", "n1 n2"),
    ("gpu-rack[1:2],n4", "node02 node03 n4"),
    ("~n[14]$", "n1 n4"),
    ("~node0(1|3)", "node01 node03"),
    ("node0*", "node01 node02 node03 node04"),
    ("n?", "n1 n2 n3 n4"),
    ("node0[!3]", "node01 node02 node04"),
    ("ch*", "n1 n2 n3"),
    ("n4,n1", "n4 n1"),
    ("localhost", "localhost"),
    ("empty", ""),
]


@pytest.mark.parametrize(("pattern", "hosts"), PATTERNS)
def test_patterns_select_as_in_ansible(inventory, pattern, hosts):
    assert list(inventory.match(pattern)) == hosts.split()


def test_the_subscript_of_a_glob_counts_its_hosts(inventory):
    assert inventory.match("node*[2]") == ("node03",)


UNKNOWN = [("gpu-rak", "did you mean 'gpu-rack'?"), ("zzz", "the groups are"), ("!chld:child", "did you mean 'child'?"), ("node9*", "")]


@pytest.mark.parametrize(("pattern", "hint"), UNKNOWN)
def test_a_part_that_matches_nothing_names_the_nearest(inventory, pattern, hint):
    assert len(inventory.select(pattern).unmatched) == 1
    with pytest.raises(InventoryError, match="no host and no group is called") as caught:
        inventory.match(pattern, strict=True, source="site.yaml:1")
    assert hint in caught.value.hint
    assert caught.value.where == "site.yaml:1"


@pytest.mark.parametrize(("pattern", "message"), [("~n(", "regular expression"), ("child[9]", "has 3 hosts"), ("child:!", "stands alone")])
def test_what_is_no_pattern_is_refused(inventory, pattern, message):
    with pytest.raises(InventoryError, match=message) as caught:
        inventory.match(pattern)
    assert caught.value.hint


def test_a_limit_narrows_a_pattern(inventory, tmp_path):
    retry = tmp_path / "site.retry"
    retry.write_text("# failed\nn2\n\nnode04\n")
    assert inventory.match("all", limit="child:!n1") == ("n2", "n3")
    assert inventory.match("all", limit=f"@{retry}") == ("node04", "n2")
    assert inventory.match("child", limit=["n1", f"@{retry}"]) == ("n1", "n2")
    assert inventory.match("child", limit="other[1]") == ()
    with pytest.raises(InventoryError, match="no host and no group is called 'n99'"):
        inventory.match("all", limit="n99")
    with pytest.raises(InventoryError, match="cannot be read"):
        inventory.match("all", limit="@/no/such/file")


FOLDED = [
    (["node01", "node02", "node03"], "node[01-03]"),
    (["node01", "node02", "node04"], "node[01-02,04]"),
    ([f"node{n:02}" for n in range(1, 65)], "node[01-64]"),
    (["n8", "n9", "n10", "n11"], "n[8-11]"),
    (["n08", "n09", "n10"], "n[08-10]"),
    (["login", "node1"], "login,node1"),
    (["r1n1.x", "r1n2.x", "r2n1.x"], "r1n[1-2].x,r2n1.x"),
    ([], ""),
]


@pytest.mark.parametrize(("names", "text"), FOLDED)
def test_names_fold_into_ranges(names, text):
    assert fold(names) == text
    assert sorted(unfold(text)) == sorted(names)


HOST_NAMES = st.lists(st.text("ab01289-.", min_size=1, max_size=8), max_size=30) | st.lists(
    st.builds("{}{:0{}}{}".format, st.sampled_from(["n", "r1-n", ""]), st.integers(0, 130), st.integers(1, 4), st.sampled_from(["", "-x"])),
    max_size=60,
)


@given(HOST_NAMES)
def test_unfolding_gives_back_exactly_what_was_folded(names):
    names = [name for name in names if name]
    assert sorted(unfold(fold(names))) == sorted(set(names))


@given(st.text("ab:&!~[]0123-,*?() ", max_size=20))
def test_any_pattern_selects_known_hosts_or_is_refused(inventory, pattern):
    try:
        found = inventory.match(pattern)
    except InventoryError as error:
        assert error.hint
    else:
        assert set(found) <= {*inventory.hosts, "localhost"}
        assert len(set(found)) == len(found)
