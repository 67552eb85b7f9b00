"""The lects that are installed, found through pluggy with a loader of our own.

pluggy's own entry-point loader drops a second distribution of the same name in silence, and dies with the first plugin
that fails to import. This one loads in sorted order, isolates what is broken, and names conflicts.
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
from typing import Any, NamedTuple

import pluggy

from ._errors import LectError, PluginError, PolylectError, nearest
from ._hookspecs import PROJECT, LectSpec, Specifications
from ._lect import Lect

KNOWN = {
    "react": "polylect-react",
    "react_bracket": "polylect-react",
    "json_blob": "polylect-json-blob",
    "xml_tags": "polylect-xml-tags",
    "tool_calls": "polylect-tool-calls",
}
"""Lects of this project by the distribution that brings them, for the install line in errors."""


class LectInfo(NamedTuple):
    """An installed lect, listed without loading it."""

    name: str
    title: str
    family: str
    distribution: str
    aliases: tuple[str, ...] = ()


class PluginInfo(NamedTuple):
    """A plugin: its entry point, its distribution and version, its lects, and why it failed if it did."""

    name: str
    distribution: str
    version: str
    lects: tuple[str, ...]
    error: str | None = None


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


class Registry:
    """Lects by name. Entry points are read when a lect is first asked for."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._manager = pluggy.PluginManager(PROJECT)
        self._manager.add_hookspecs(Specifications)
        self._entries: dict[str, _Entry] = {}
        self._aliases: dict[str, str] = {}
        self._plugins: list[PluginInfo] = []
        self._discovered = False

    def discover(self) -> None:
        """Load every installed plugin, once."""
        with self._lock:
            if self._discovered:
                return
            self._discovered = True
            seen: dict[str, tuple[str, str]] = {}
            for point in sorted(entry_points(group=PROJECT), key=lambda p: (p.name, _dist(p)[0])):
                name, version = _dist(point)
                error = None
                if point.name in seen and seen[point.name][0] != name:
                    both = " and ".join(" ".join(x) for x in ((name, version), seen[point.name]))
                    error = f"{both} both claim the plugin name {point.name!r}. Uninstall one."
                elif point.name in seen:
                    continue
                seen.setdefault(point.name, (name, version))
                self._plugins.append(self._load_point(point, name, version, error))
            for plugin in (x for x in self._plugins if x.error is not None):
                told = f"polylect plugin {plugin.name!r} of {plugin.distribution} is broken: {plugin.error}"
                warnings.warn(told, stacklevel=3)

    def _load_point(self, point: EntryPoint, distribution: str, version: str, error: str | None) -> PluginInfo:
        lects: tuple[str, ...] = ()
        if error is None:
            try:
                lects = self.add_plugin(point.load(), point.name, distribution)
            except (
                Exception,
                SystemExit,
            ) as fault:  # whatever a stranger's code raises must not take the others with it
                error = str(fault) if isinstance(fault, PluginError) else f"{type(fault).__name__}: {fault}"
        return PluginInfo(point.name, distribution, version, lects, error)

    def add_plugin(self, plugin: object, name: str, distribution: str) -> tuple[str, ...]:
        """Register one plugin and its lects; the names of the lects.

        Raises:
            PluginError: a hook of no known name, or a lect name that is taken.
        """
        with self._lock:
            known = {spec for spec in dir(Specifications) if spec.startswith("polylect_")}
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
                    self._check_free(spec, distribution)
                if len({spec.name for spec in specs}) < len(specs):
                    raise PluginError(f"{name} lists a lect twice.")
            except BaseException as error:
                if self._manager.is_registered(plugin):
                    self._manager.unregister(plugin)
                if isinstance(error, pluggy.PluginValidationError):
                    raise PluginError(str(error)) from error
                raise
            for spec in specs:
                self._add(spec, distribution)
            return tuple(spec.name for spec in specs)

    def _check_free(self, spec: LectSpec, distribution: str) -> None:
        for name in (spec.name, *spec.aliases):
            owner = self._entries.get(self._aliases.get(name, name))
            if owner is not None:
                raise PluginError(
                    f"{distribution} and {owner.distribution} both bring a lect named {name!r}. Uninstall one, or "
                    "register yours with override=True."
                )

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
            spec = LectSpec(made.name, made.title or made.name, made.family or "own", lambda: made, made.aliases)
            _check_spec(spec)
            if not override:
                self._check_free(spec, "polylect.register()")
            self._add(spec, "polylect.register()")
        return made

    def unregister(self, name: str) -> None:
        """Forget a lect; LectError if there is none of that name."""
        self.discover()
        with self._lock:
            if not isinstance(name, str) or self._entries.pop(name, None) is None:
                raise self._unknown(name)
            self._aliases = {alias: target for alias, target in self._aliases.items() if target != name}

    def names(self) -> tuple[dict[str, _Entry], dict[str, str]]:
        """All entries and aliases as they are now."""
        with self._lock:
            return dict(self._entries), dict(self._aliases)

    def go_back(self, names: tuple[dict[str, _Entry], dict[str, str]]) -> None:
        """Forget what was registered, and restore what was replaced, since ``names``."""
        with self._lock:
            self._entries, self._aliases = names

    def lects(self) -> list[LectInfo]:
        """All lects, by name, none of them loaded."""
        self.discover()
        return [
            LectInfo(e.spec.name, e.spec.title, e.spec.family, e.distribution, e.spec.aliases)
            for _, e in sorted(self._entries.items())
        ]

    def plugins(self) -> list[PluginInfo]:
        """All plugins, the broken ones too."""
        self.discover()
        return list(self._plugins)

    def lect(self, name: str) -> Lect:
        """The lect of that name or alias; see :func:`polylect.lect`."""
        found = self._entries.get(name) if isinstance(name, str) else None
        if found is None:
            self.discover()
            if not isinstance(name, str):
                raise self._unknown(name)
            key = name.strip().casefold().replace("-", "_")
            for spelling in (name, self._aliases.get(name, ""), key, self._aliases.get(key, "")):
                if spelling in self._entries:
                    found = self._entries[spelling]
                    break
            else:
                raise self._unknown(name)
        return found.load()

    def _unknown(self, name: Any) -> PolylectError:
        if not isinstance(name, str):
            return LectError(f"A lect's name is text, not {type(name).__name__}.")
        key = name.strip().casefold().replace("-", "_")
        broken = next((x for x in self._plugins if x.error and x.distribution == KNOWN.get(key)), None)
        if broken is not None:
            return PluginError(f"The lect {key!r} can't be had: {broken.distribution} is broken: {broken.error}")
        if name in self._aliases:
            return LectError(f"{name!r} is an alias of the lect {self._aliases[name]!r}.")
        if key in KNOWN:
            return LectError(f"The lect {key!r} is not installed. Run: pip install {KNOWN[key]}")
        known = sorted({*self._entries, *self._aliases, *KNOWN})
        hint = nearest(key, known)
        missing = next((k for k in KNOWN if f"{k!r}" in hint and k not in self._entries), None)
        install = "" if missing is None else f" Run: pip install {KNOWN[missing]}"
        listed = ", ".join(sorted(self._entries)) or "none"
        return LectError(f"There is no lect {name!r}.{hint}{install} Installed: {listed}.")


def _dist(point: EntryPoint) -> tuple[str, str]:
    return (point.dist.name, point.dist.version) if point.dist is not None else ("unknown", "")


def load_plugin_file(registry: Registry, path: str | Path) -> ModuleType:
    """Run a Python file as a plugin: one that calls ``polylect.register``, or implements the hooks.

    Raises:
        PluginError: there is no such file, or it fails; the message says where.
    """
    file = Path(path)
    if not file.is_file():
        raise PluginError(f"There is no plugin file {str(path)!r}.")
    name = f"polylect_file_{file.stem}"
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise PluginError(f"{file} is not a Python file.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    registry.discover()
    before = registry.names()
    try:
        spec.loader.exec_module(module)
        if any(name.startswith("polylect_") for name in vars(module)):
            registry.add_plugin(module, str(file), str(file))
    except (Exception, SystemExit) as error:  # a stranger's code
        sys.modules.pop(name, None)
        registry.go_back(before)
        if isinstance(error, PluginError):
            raise
        raise PluginError(f"The plugin file {file} failed: {type(error).__name__}: {error}") from error
    return module


registry = Registry()
