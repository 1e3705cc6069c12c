from ringup.verify.blame import blame_job, blame_mesh

HOSTS = ["a", "b", "c", "d"]


def mesh(*bad: tuple[str, str]) -> dict[str, dict[str, str]]:
    return {host: {peer: "refused" if (host, peer) in bad else "ok" for peer in HOSTS if peer != host} for host in HOSTS}


def test_a_mesh_without_errors_blames_nobody() -> None:
    assert blame_mesh(mesh()) == ()


def test_a_host_that_fails_with_all_partners_is_accused_and_they_are_not() -> None:
    cut = [pair for host in "acd" for pair in ((host, "b"), ("b", host))]
    (blame,) = blame_mesh(mesh(*cut))
    assert blame.host == "b"
    assert "a, c, d" in blame.message


def test_one_bad_pair_is_a_link() -> None:
    (blame,) = blame_mesh(mesh(("a", "c")))
    assert blame.host is None
    assert "a and c" in blame.message


def test_of_two_hosts_neither_is_accused() -> None:
    (blame,) = blame_mesh({"a": {"b": "refused"}, "b": {"a": "refused"}})
    assert blame.host is None


def said(*stages: str, left: bool = False, **more: object) -> dict[str, object]:
    messages: list[dict[str, object]] = [{"type": "stage", "stage": stage, "rank": 0} for stage in stages]
    if left:
        messages.append({"type": "left", "rank": more.pop("rank", 0)})
    return {"rc": 0 if left else 1, "messages": messages, "stderr": "", "left_behind": [], **more}


def test_a_job_whose_ranks_all_left_blames_nobody() -> None:
    assert blame_job({"a": said(left=True, rank=0), "b": said(left=True, rank=1)}, 2) == ()


def test_the_host_whose_rank_crashed_is_blamed_and_the_one_that_lost_its_peer_is_not() -> None:
    results = {
        "a": said("sums", stderr="RuntimeError: Connection closed by peer [198.18.0.2]"),
        "b": said("sums", stderr="Traceback\n  File x\nMemoryError: cannot allocate"),
    }
    (blame,) = blame_job(results, 2)
    assert blame.host == "b"
    assert "MemoryError" in blame.message


def test_in_a_hang_the_host_that_got_least_far_is_named_with_its_stage() -> None:
    results = {"a": said("rendezvous", "sums", rc=None, timedout=True), "b": said("rendezvous", rc=None, timedout=True)}
    (blame,) = blame_job(results, 2)
    assert (blame.host, blame.stage) == ("b", "rendezvous")


def test_an_unreachable_host_is_blamed_before_anything_else() -> None:
    (blame,) = blame_job({"a": {"unreachable": True, "msg": "connection lost"}, "b": said("sums", rc=None, timedout=True)}, 2)
    assert (blame.host, blame.message) == ("a", "connection lost")


def test_processes_that_would_not_end_are_told() -> None:
    (blame,) = blame_job({"a": {**said(left=True, rank=0), "left_behind": [41]}, "b": said(left=True, rank=1)}, 2)
    assert (blame.host, blame.stage) == ("a", "cleanup")
