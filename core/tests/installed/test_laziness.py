"""What is loaded when: nothing at import, no lect by listing, and all of it once though many threads ask."""

from __future__ import annotations

import polylect

from .site import INSTALLED, Site, lect_source

HEAVY = ("lark", "lxml", "jsonschema", "json_repair", "click", "hypothesis")


def test_entry_points_are_read_when_lects_are_first_asked_for(site: Site) -> None:
    site.install("loud", "1.0", {"loud": "loud_module"}, loud_module="import builtins\nbuiltins.loud = True\n")
    found = site.run(
        """
        import builtins
        steps = ["import"] if hasattr(builtins, "loud") else []
        polylect.Call("a"), polylect.Tool("a"), polylect.TextLect, polylect.register
        steps += ["names"] if hasattr(builtins, "loud") else []
        polylect.lects()
        steps += ["lects"] if hasattr(builtins, "loud") else []
        found = {"steps": steps}
        """
    )
    assert found["steps"] == ["lects"]


def test_listing_loads_no_lect_and_nothing_heavy(site: Site) -> None:
    found = site.run(
        f"""
        infos, plugins = polylect.lects(), polylect.plugins()
        found = {{
            "heavy": [x for x in {HEAVY!r} if x in sys.modules],
            "lects": sorted(x for x in sys.modules if x.startswith("polylect_") and "._" in x.removesuffix("._spec")),
            "names": [x.name for x in infos],
        }}
        """
    )
    assert found["heavy"] == []
    assert found["lects"] == []
    assert found["names"] == INSTALLED


def test_loading_one_lect_loads_no_other_family(site: Site) -> None:
    found = site.run(
        """
        polylect.lect("react")
        private = {x for x in sys.modules if x.startswith("polylect_") and "._" in x.removesuffix("._spec")}
        found = {"lects": sorted({x.partition(".")[0] for x in private})}
        """
    )
    assert found["lects"] == ["polylect_react"]


def test_a_lect_is_made_once(site: Site) -> None:
    site.install_lect("mine", "1.0", "mine", aliases=("my_own",))
    found = site.run("found = {'same': polylect.lect('mine') is polylect.lect('my_own') is polylect.lect('MINE')}")
    assert found["same"]


def test_many_threads_may_ask_first(site: Site) -> None:
    slow = lect_source("mine", "slow_module").replace(
        "@polylect.hookimpl", "import time\ntime.sleep(0.2)\n\n\n@polylect.hookimpl"
    )
    site.install("slow", "1.0", {"aaa": "slow_module"}, slow_module=slow)
    found = site.run(
        """
        import threading
        texts = {
            "react": "Action: a\\nAction Input: b",
            "json_blob": '{"action": "a", "action_input": "b"}',
            "xml_tags": "<tool>a</tool><tool_input>b</tool_input>",
            "mine": "text",
        }
        said, start = [], threading.Barrier(16)

        def ask(name):
            start.wait()
            try:
                reply = polylect.lect(name).parse(texts[name])
                said.append([name, reply.content, [[x.name, x.arguments] for x in reply.calls]])
            except Exception as error:
                said.append(repr(error))

        threads = [threading.Thread(target=ask, args=(name,)) for name in [*texts] * 4]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        found = {"said": said, "lects": [x.name for x in polylect.lects()], "plugins": len(polylect.plugins())}
        """
    )
    calls = [[name, "", [["a", "b"]]] for name in ("json_blob", "react", "xml_tags")]
    assert sorted(found["said"], key=repr) == sorted([*calls * 4, *[["mine", "text", []]] * 4], key=repr)
    assert found["lects"] == sorted([*INSTALLED, "mine"])
    assert found["plugins"] == len(polylect.plugins()) + 1
