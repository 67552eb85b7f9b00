"""The lects that are installed, found through pluggy with a loader of our own.

pluggy's own entry-point loader drops a second distribution of the same name in silence, and dies with the first plugin
that fails to import. This one loads in sorted order, isolates what is broken, and names conflicts: a name that two
distributions claim is given to nobody, and all their other lects work.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
import threading
import warnings
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple, TypeAlias

import msgspec
import pluggy

from ._claims import Contest, contest, install_line, may_bring
from ._errors import LectError, PluginError, PolylectError, nearest
from ._hookspecs import PROJECT, LectSpec, ModelSpec, Specifications
from ._known import GRAMMARS as GRAMMARS
from ._known import KNOWN as KNOWN
from ._lect import Lect
from ._model_names import OWN, Claim, ModelMatch, find_model, nearest_model
from ._models import KNOWN as KNOWN_MODELS
from ._models import ModelRegistry

LISTS = ("polylect_lects", "polylect_models")
HOOKS = frozenset(x for x in dir(Specifications) if x.startswith("polylect_") and x not in LISTS)
"""The hooks that stand around runs."""


class LectInfo(NamedTuple):
    """An installed lect, listed without loading it."""

    name: str
    title: str
    family: str
    distribution: str
    aliases: tuple[str, ...] = ()
    models: tuple[str, ...] = ()


class PluginInfo(NamedTuple):
    """A plugin: its entry point, its distribution and version, its lects, and what is wrong with it if something is.

    One that fails has no lects; one with a name that is contested has its others. The same goes for its models. Its
    hooks are those that stand around the runs of every agent.
    """

    name: str
    distribution: str
    version: str
    lects: tuple[str, ...]
    error: str | None = None
    models: tuple[str, ...] = ()
    hooks: tuple[str, ...] = ()


class _Entry:
    def __init__(self, spec: LectSpec, distribution: str) -> None:
        self.spec, self.distribution = spec, distribution
        self.loaded: Lect | None = None

    def load(self) -> Lect:
        if self.loaded is None:
            try:
                self.loaded = _load(self.spec)
            except PluginError:
                raise
            except (Exception, SystemExit) as error:
                raise PluginError(
                    f"The lect {self.spec.name!r} of {self.distribution} can't be loaded: "
                    f"{type(error).__name__}: {error}"
                ) from error
        return self.loaded


def _load(spec: LectSpec) -> Lect:
    source: Any = spec.load
    if isinstance(source, str):
        module, _, attribute = source.partition(":")
        source = getattr(importlib.import_module(module), attribute or "lect")
    found = source if isinstance(source, Lect) else source()
    if not isinstance(found, Lect):
        raise PluginError(f"{spec.name!r} loads as {type(found).__name__}, not as a Lect.")
    return found


def _check_spec(spec: LectSpec) -> None:
    texts = spec.name, spec.title, spec.family
    if not all(isinstance(x, str) and x for x in texts):
        raise PluginError(f"A lect has a name, a title and a family, all texts, not {texts!r}.")
    if not isinstance(spec.aliases, (tuple, list)) or not all(isinstance(x, str) and x for x in spec.aliases):
        raise PluginError(f"The aliases of {spec.name!r} are a tuple of names, not {spec.aliases!r}.")
    if not isinstance(spec.models, (tuple, list)) or not all(isinstance(x, str) and x for x in spec.models):
        raise PluginError(f"The models of {spec.name!r} are a tuple of names, not {spec.models!r}.")


Names: TypeAlias = tuple[dict[str, _Entry], dict[str, str], dict[str, Contest]]


class Registry:
    """Lects by name. Entry points are read when a lect is first asked for."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._manager = pluggy.PluginManager(PROJECT)
        self._manager.add_hookspecs(Specifications)
        self._entries: dict[str, _Entry] = {}
        self._aliases: dict[str, str] = {}
        self._contested: dict[str, Contest] = {}
        self._plugins: list[PluginInfo] = []
        self.models = ModelRegistry()
        self._discovered = False

    def discover(self) -> None:
        """Load every installed plugin, once."""
        with self._lock:
            if self._discovered:
                return
            self._discovered = True
            seen: dict[str, list[tuple[str, str]]] = {}
            for point in sorted(entry_points(group=PROJECT), key=_order):
                one, twins = _dist(point), seen.setdefault(point.name, [])
                if any(one[0] == twin[0] for twin in twins):
                    continue
                twins.insert(0, one)
                error = None
                if len(twins) > 1:
                    claim = f"claim the plugin name {point.name!r}. Uninstall one."
                    self._contested[point.name] = Contest(tuple(" ".join(twin) for twin in twins), claim)
                    error = str(self._contested[point.name])
                    self.models.contest(point.name, self._contested[point.name])
                self._plugins.append(self._load_point(point, *one, error))
            for plugin in (x for x in self._plugins if x.error is not None):
                state = "in conflict" if plugin.lects or plugin.models else "broken"
                told = f"polylect plugin {plugin.name!r} of {plugin.distribution} is {state}: {plugin.error}"
                warnings.warn(told, stacklevel=3)

    def _load_point(self, point: EntryPoint, distribution: str, version: str, error: str | None) -> PluginInfo:
        lects: tuple[str, ...] = ()
        models: tuple[str, ...] = ()
        hooks: tuple[str, ...] = ()
        if error is None:
            try:
                plugin = point.load()
                specs, of_models = self._specs(plugin, point.name)
                hooks = tuple(x for x in dir(plugin) if x in HOOKS)
                lects, error = self._claim(specs, distribution)
                models, fault = self.models.claim(of_models, distribution)
                error = " ".join(filter(None, (error, fault))) or None
            except (
                Exception,
                SystemExit,
            ) as raised:  # whatever a stranger's code raises must not take the others with it
                error = str(raised) if isinstance(raised, PluginError) else f"{type(raised).__name__}: {raised}"
        return PluginInfo(point.name, distribution, version, lects, error, models, hooks)

    def add_plugin(self, plugin: object, name: str, distribution: str) -> tuple[str, ...]:
        """Register one plugin with its lects and models; the names of the lects.

        Raises:
            PluginError: a hook of no known name, or a name that is taken.
        """
        with self._lock:
            specs, models = self._specs(plugin, name)
            try:
                for spec in specs:
                    self._check_free(spec, distribution)
                self.models.check_free(models, distribution)
            except PluginError:
                self._manager.unregister(plugin)
                raise
            for spec in specs:
                self._add(spec, distribution)
            self.models.claim(models, distribution)
            return tuple(spec.name for spec in specs)

    def _specs(self, plugin: object, name: str) -> tuple[list[LectSpec], list[ModelSpec]]:
        """Register a plugin with pluggy, and ask it for its lects and its models."""
        known = {*LISTS, *HOOKS}
        for attribute in (name for name in dir(plugin) if name.startswith("polylect_") and name not in known):
            if callable(getattr(plugin, attribute)):
                raise PluginError(f"{name} implements no known hook: {attribute!r}.{nearest(attribute, known)}")
        for attribute in (name for name in dir(plugin) if name in known):
            if not hasattr(getattr(plugin, attribute), f"{PROJECT}_impl"):
                raise PluginError(f"{name} has {attribute!r} without its mark. Write @polylect.hookimpl above it.")
        before = set(self._manager.get_plugins())
        if self._manager.has_plugin(name):
            raise PluginError(f"The plugin {name} is loaded already.")
        try:
            self._manager.register(plugin, name)
            self._manager.check_pending()
            mine = self._manager.subset_hook_caller("polylect_lects", before)()
            specs = [spec for group in mine for spec in group]
            for spec in specs:
                if not isinstance(spec, LectSpec):
                    raise PluginError(f"{name} lists {spec!r}, which is not a LectSpec.")
                _check_spec(spec)
            if len({spec.name for spec in specs}) < len(specs):
                raise PluginError(f"{name} lists a lect twice.")
            models = self.models.gather(self._manager.subset_hook_caller("polylect_models", before)(), name)
        except BaseException as error:
            if self._manager.is_registered(plugin):
                self._manager.unregister(plugin)
            if isinstance(error, pluggy.PluginValidationError):
                raise PluginError(str(error)) from error
            raise
        return specs, models

    def _claim(self, specs: list[LectSpec], distribution: str) -> tuple[tuple[str, ...], str | None]:
        """Add the lects whose names are free, with the aliases that are; and tell of the names that are not."""
        taken: dict[str, Contest] = {}
        for name in (name for spec in specs for name in (spec.name, *spec.aliases)):
            owner = self._owner(name)
            if owner is not None:
                before = self._contested.get(name)
                taken[name] = contest(distribution, owner.distribution, before, f"a lect named {name!r}")
        self._contested |= taken
        mine = [spec for spec in specs if spec.name not in taken]
        for spec in mine:
            free = tuple(x for x in spec.aliases if x not in taken)
            self._add(msgspec.structs.replace(spec, aliases=free), distribution)
        return tuple(spec.name for spec in mine), " ".join(map(str, taken.values())) or None

    def _owner(self, name: str) -> _Entry | None:
        return self._entries.get(self._aliases.get(name, name))

    def _check_free(self, spec: LectSpec, distribution: str) -> None:
        for name in (spec.name, *spec.aliases):
            owner = self._owner(name)
            if owner is not None:
                raise PluginError(str(contest(distribution, owner.distribution, None, f"a lect named {name!r}")))

    def _add(self, spec: LectSpec, distribution: str) -> None:
        self._entries[spec.name] = _Entry(spec, distribution)
        for alias in spec.aliases:
            self._aliases[alias] = spec.name

    def register(self, lect: Lect | type[Lect], *, override: bool = False) -> Lect:
        """Add a lect of one's own, no packaging needed; gives the lect back.

        Raises:
            PluginError: the name is taken (and ``override`` is not given), or ``lect`` is no lect.
        """
        made = lect() if isinstance(lect, type) and issubclass(lect, Lect) else lect
        if not isinstance(made, Lect) or not made.name:
            raise PluginError(f"{lect!r} is not a lect with a name: subclass polylect.TextLect and set `name`.")
        self.discover()
        with self._lock:
            texts = made.name, made.title or made.name, made.family or "own"
            spec = LectSpec(*texts, lambda: made, made.aliases, made.models)
            _check_spec(spec)
            if not override:
                self._check_free(spec, OWN)
            self._add(spec, OWN)
            for name in (spec.name, *spec.aliases):
                self._contested.pop(name, None)
        return made

    def unregister(self, name: str) -> None:
        """Forget a lect; LectError if there is none of that name."""
        self.discover()
        with self._lock:
            if not isinstance(name, str) or self._entries.pop(name, None) is None:
                raise self._unknown(name)
            for gone in (name, *(alias for alias, target in self._aliases.items() if target == name)):
                self._contested.pop(gone, None)
                self._aliases.pop(gone, None)

    def names(self) -> Names:
        """All entries, aliases and contests as they are now."""
        with self._lock:
            return dict(self._entries), dict(self._aliases), dict(self._contested)

    def go_back(self, names: Names) -> None:
        """Forget what was registered, and restore what was replaced, since ``names``."""
        with self._lock:
            self._entries, self._aliases, self._contested = names

    def hook_plugins(self) -> list[object]:
        """The plugins whose hooks stand around every run, in the order in which they were loaded."""
        self.discover()
        with self._lock:
            return [plugin for _, plugin in self._manager.list_name_plugin() if plugin is not None]

    def lects(self) -> list[LectInfo]:
        """All lects, by name, none of them loaded."""
        self.discover()
        return [
            LectInfo(e.spec.name, e.spec.title, e.spec.family, e.distribution, e.spec.aliases, e.spec.models)
            for _, e in sorted(self._entries.items())
        ]

    def plugins(self) -> list[PluginInfo]:
        """All plugins, the broken ones too."""
        self.discover()
        return list(self._plugins)

    def all_models(self) -> ModelRegistry:
        """The models, those of installed plugins among them."""
        self.discover()
        return self.models

    def lect(self, name: str) -> Lect:
        """The lect of that name or alias; see :func:`polylect.lect`."""
        found = self._entries.get(name) if isinstance(name, str) and name not in self._contested else None
        if found is not None:
            return found.load()
        self.discover()
        if not isinstance(name, str):
            raise self._unknown(name)
        for spelling in (name, name.strip().casefold().replace("-", "_")):
            if spelling in self._contested:
                raise PluginError(f"The lect {spelling!r} can't be had: {self._contested[spelling]}")
            found = self._entries.get(spelling) or self._owner(spelling)
            if found is not None:
                return found.load()
        model = self.find_model(name)
        if model is not None:
            return self._entries[model.lect].load()
        raise self._unknown(name)

    def find_model(self, name: str) -> ModelMatch | None:
        """The lect that the model of that name speaks; None where no lect claims it.

        Raises:
            LectError: two distributions claim it.
        """
        return find_model(name, self.claims())

    def claims(self) -> list[Claim]:
        """The claims of all lects on models, in the order in which they were found."""
        self.discover()
        return [Claim(e.spec.name, e.distribution, x) for e in self._entries.values() for x in e.spec.models]

    def _unknown(self, name: Any) -> PolylectError:
        if not isinstance(name, str):
            return LectError(f"A lect's name is text, not {type(name).__name__}.")
        key = name.strip().casefold().replace("-", "_")
        failed = [x for x in self._plugins if x.error is not None]
        broken = next((x for x in failed if x.distribution == KNOWN.get(key) and key not in x.lects), None)
        if broken is not None:
            return PluginError(f"The lect {key!r} can't be had: {broken.distribution} is broken: {broken.error}")
        if name in self._aliases:
            return LectError(f"{name!r} is an alias of the lect {self._aliases[name]!r}.")
        if key in KNOWN:
            return LectError(f"The lect {key!r} is not installed. {install_line(KNOWN[key], GRAMMARS)}")
        known = sorted({*self._entries, *self._aliases, *KNOWN})
        hint = nearest(key, known) or nearest_model(name, self.claims())
        missing = next((k for k in KNOWN if f"{k!r}" in hint and k not in self._entries), None)
        install = "" if missing is None else f" {install_line(KNOWN[missing], GRAMMARS)}"
        listed = ", ".join(sorted(self._entries)) or "none"
        return LectError(f"There is no lect {name!r}.{hint}{install} Installed: {listed}.{may_bring(key, failed)}")


def _order(point: EntryPoint) -> tuple[str, bool, str]:
    """By name; of two that claim one name, that of this project comes first, so that its family stays whole."""
    distribution = _dist(point)[0]
    return point.name, distribution not in {*KNOWN.values(), *KNOWN_MODELS.values()}, distribution


def _dist(point: EntryPoint) -> tuple[str, str]:
    return (point.dist.name, point.dist.version) if point.dist is not None else ("unknown", "")


def load_plugin_file(registry: Registry, path: str | Path) -> ModuleType:
    """Run a Python file as a plugin: one that calls ``polylect.register``, or implements the hooks.

    Raises:
        PluginError: there is no such file, or it fails; the message says where.
    """
    try:
        file = Path(path)
        found = file.is_file()
    except TypeError:
        raise PluginError(f"The path of a plugin file is a text, not {type(path).__name__}.") from None
    except OSError:  # a name too long, or a folder that may not be looked into
        found = False
    if not found:
        raise PluginError(f"There is no plugin file {str(path)!r:.200}.")
    name = f"polylect_file_{file.stem}"
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise PluginError(f"{file} is not a Python file.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    registry.discover()
    before, models = registry.names(), registry.models.snapshot()
    try:
        spec.loader.exec_module(module)
        if any(name.startswith("polylect_") for name in vars(module)):
            registry.add_plugin(module, str(file), str(file))
    except (Exception, SystemExit) as error:  # a stranger's code
        sys.modules.pop(name, None)
        registry.go_back(before)
        registry.models.go_back(models)
        if isinstance(error, PluginError):
            raise
        raise PluginError(f"The plugin file {file} failed: {type(error).__name__}: {error}") from error
    return module


registry = Registry()
