"""Organizations of jobs by rules for users, groups and accounts: convert and fair sharing."""

import json
from fractions import Fraction as F

import pytest

import oas
from oas.core.errors import InputError
from oas.logs.log import read
from oas.logs.membership import membership, read_membership
from oas.logs.sharing import Sharing, share
from oas.logs.slices import Slice, cut, follow, parse_recipe, recipe_of, write_recipe
from oas.logs.streams import read_stream
from tests.commands import run
from tests.logs.test_dialects import in_file, refusal
from tests.logs.test_logs import line as swf_line

RULES = "user,account,organization,processors\nada,,physics,6\n,chem*,chemistry,4\n*,,others,2\n"
SACCT = """JobID|User|Group|Account|Submit|Start|End|AllocCPUS|State
1|ada|staff|chem1|0|1|11|6|COMPLETED
2|bob|staff|chem2|2|11|15|4|COMPLETED
2.batch||||2|11|15|4|COMPLETED
3|cleo|guest|bio|3|15|20|2|COMPLETED
4|dora|guest|chem1|4|15|20|5|COMPLETED
5|||bio|5|15|20|1|COMPLETED
"""


def swf(folder, users, header="; MaxProcs: 12\n"):
    rows = [
        swf_line(number=k, submit=k, processors=2, user=user, group=1 + k % 2) for k, user in enumerate(users, start=1)
    ]
    return in_file(folder, header + "\n".join(rows))


def members(instance):
    return {one.id: (one.processors, [job.id for job in one.jobs]) for one in instance.organizations}


def test_the_first_matching_row_decides(tmp_path):
    rules = read_membership(in_file(tmp_path, RULES, "rules.csv"))
    assert (rules.names, rules.fields, rules.processors) == (
        ("physics", "chemistry", "others"),
        ("user", "account"),
        (6, 4, 2),
    )
    log = read(in_file(tmp_path, SACCT, "log.txt"))
    instance = log.to_instance(rules, count=4)
    assert members(instance) == {"physics": (6, ["1"]), "chemistry": (4, ["2"]), "others": (2, ["3", "5"])}
    assert json.loads(instance.provenance["left_out"]) == {"job step": 1, "wider than the organization's cluster": 1}
    again = log.to_instance(json.loads(instance.provenance["slice"])["organizations"], count=4)
    assert again.digest == instance.digest
    assert log.to_frame()["account"].to_list() == ["chem1", "chem2", "bio", "chem1", "bio"]


@pytest.mark.parametrize(
    "text",
    [
        "\ufeffUser;Account;Organization;Processors\r\nada;;physics;6\r\n;chem*;chemistry;4\r\n*;;others;2\r\n",
        '"organization", "user" , "processors","account"\nphysics, ada,6,\nchemistry,,4,chem*\nothers,*,2,\n',
        '[{"user": "ada", "organization": "physics", "processors": 6},'
        ' {"account": "chem*", "organization": "chemistry", "processors": 4},'
        ' {"user": "*", "organization": "others", "processors": "2"}]',
    ],
)
def test_rules_in_other_dialects_are_the_same(tmp_path, text):
    rules = read_membership(in_file(tmp_path, RULES, "rules.csv"))
    assert read_membership(in_file(tmp_path, text, "more")) == rules == membership(rules.to_list())


def test_swf_users_and_groups_and_a_recipe(tmp_path):
    log = read(swf(tmp_path, [7, 8, 7, -1, 17])).swf
    rules = membership(
        [
            {"user": 7, "organization": "A", "share": "1/2"},
            {"group": 1, "organization": "B", "share": 1},
            {"user": "*", "organization": "A"},
        ]
    )
    window = Slice(organizations=rules, count=5)
    assert members(cut(log, window)) == {"A": (4, ["J1", "J3", "J5"]), "B": (8, ["J2", "J4"])}
    recipe = parse_recipe(write_recipe(recipe_of(log, window)))
    assert follow(recipe, log).digest == cut(log, window).digest
    assert [one[0] for one in members(cut(log, Slice(organizations=rules, count=5, processors=9))).values()] == [3, 6]
    unsized = membership([{"user": "*", "organization": "A"}])
    assert members(cut(log, Slice(organizations=unsized, count=5)))["A"][0] == 12


def test_unknown_users_are_counted_and_named(tmp_path):
    path = swf(tmp_path, [7, 8, 8, 9, 10, -1, 17])
    file = in_file(tmp_path, "user,organization\n7,A\n17,B\n", "rules.csv")
    rules = read_membership(file)
    reason = (
        f"{file}: user: 4 owners of 5 jobs match no row: user 8 (2 jobs), user 9 (1 job), user 10 (1 job), and 1 more;"
        " add rows, or a last row with user * and an organization for all others"
    )
    assert refusal(read(path).to_instance, rules, count=7) == reason
    found = refusal(share, read_stream(path, owner=rules.fields), Sharing(organizations=rules))
    assert found.startswith(f"{file}: user: 4 owners of 5 jobs match no row: user 8 (2 jobs)")
    accounts = membership([{"account": "x", "organization": "A"}])
    message = "account: no job of the log has this field"
    assert refusal(read(path).to_instance, accounts, count=1) == message
    assert refusal(share, read_stream(path, owner="account"), Sharing(organizations=accounts)) == message


def test_fair_sharing_by_rules(tmp_path):
    rules = read_membership(in_file(tmp_path, RULES, "rules.csv"))
    stream = read_stream(in_file(tmp_path, SACCT, "log.txt"), owner=rules.fields)
    shared = share(stream, Sharing(organizations=rules, wide="keep"))
    assert (shared.names, shared.ticks.machines.tolist()) == (rules.names, [6, 4, 2])
    assert shared.users == (1, 2, 2)
    assert shared.ticks.owner.tolist().count(1) == 1 + 5  # chemistry has a job of 4 processors and copies of one of 5
    shares = membership(
        [{"group": "staff", "organization": "A", "share": 3}, {"group": "*", "organization": "B", "share": F(1)}]
    )
    by_group = read_stream(in_file(tmp_path, SACCT, "log.txt"), owner="group")
    assert share(by_group, Sharing(organizations=shares, processors=8)).ticks.machines.tolist() == [6, 2]
    assert "processors: must be given" in refusal(share, by_group, Sharing(organizations=shares))
    assert "must be read with owner=('group',)" in refusal(share, stream, Sharing(organizations=shares, processors=8))
    assert "machines: the organizations' rules" in refusal(share, stream, Sharing(organizations=rules, machines="zipf"))
    assert "organizations: must be given" in refusal(share, stream, Sharing(machines=[4, 2]))


def test_names_of_owners_are_in_the_stream(tmp_path):
    stream = read_stream(in_file(tmp_path, SACCT, "log.txt"))
    assert stream.to_frame()["owner"].to_list() == ["ada", "bob", "cleo", "dora", ""]
    assert share(stream, Sharing(organizations=2, processors=4)).users == (2, 2)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        ("user,organization\n", "there is no row"),
        ("user,org\nada,A\n", "line 1: has no column organization"),
        ("usr,organization\nada,A\n", "line 2, usr: there is no such column; did you mean user"),
        ("user,organization\n,A\n", r"line 2: must have a pattern for user, group, .*; \* for all jobs \(got 'A'\)"),
        ("user,organization\nada,\n", "line 2, organization: is missing"),
        ("user,organization,share\nada,A,x\n", r"line 2, share: not a number.* \(got 'x'\)"),
        ("user,organization,share\nada,A,0\n", "line 2, share: must be above 0"),
        ("user,organization,processors\nada,A,1.5\n", "line 2, processors: must be an integer"),
        (
            "user,organization,processors\nada,A,1\nbob,A,2\n",
            r"line 3, processors: A has another one in a row before: 1",
        ),
        ("user,organization,processors\nada,A,1\nbob,B,\n", "processors: missing for B"),
        ("user,organization,processors,share\nada,A,1,1\n", "share: give either shares or processors"),
        ('{"ada": "A"}', "must be a list of objects"),
        ('[{"user": ["ada"], "organization": "A"}]', r"\[0\], user: must be text or a number"),
        ('["ada"]', r"\[0\]: must be an object"),
    ],
)
def test_bad_rules_name_file_place_and_value(tmp_path, text, message):
    path = in_file(tmp_path, text, "rules.txt")
    with pytest.raises(InputError, match=message) as caught:
        read_membership(path)
    assert caught.value.file == str(path)


def test_the_same_patterns_for_two_organizations_are_refused(tmp_path):
    path = in_file(tmp_path, "user,organization\nada,A\nada,A\nada,B\n", "rules.csv")
    message = f"{path}: line 4: the same patterns are in line 2, for another organization (got 'B')"
    assert refusal(read_membership, path) == message


def test_nothing_is_assigned_at_random_unless_asked(tmp_path):
    path = swf(tmp_path, [7, 8, 9])
    for command in (["convert", str(path)], ["fair", str(path)], ["fair", str(path), "--machines", "6,6"]):
        refused = run(tmp_path, *command)
        assert refused.returncode == 2 and "--organizations: must be given" in refused.stderr
    file = in_file(tmp_path, "user,organization\n7,A\n*,B\n", "rules.csv")
    target = tmp_path / "instance.json"
    given = ["--organizations", str(file), "--count", "3", "-o", str(target)]
    assert run(tmp_path, "convert", str(path), *given).returncode == 0
    assert members(oas.load(target)) == {"A": (6, ["J1"]), "B": (6, ["J2", "J3"])}
    refused = run(tmp_path, "convert", str(path), "--organizations", "rules")
    assert refused.returncode == 2 and "--organizations: must be a number, or a file" in refused.stderr
