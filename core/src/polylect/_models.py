"""The models that are installed, by name. They come from the same plugins as lects, through a hook of their own."""

from __future__ import annotations

import importlib
import inspect
import threading
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ._claims import Contest, contest, install_line, may_bring
from ._errors import ModelError, PluginError, PolylectError, nearest
from ._hookspecs import ModelSpec

if TYPE_CHECKING:
    from ._registry import PluginInfo
    from ._stages import Model
    from .constraint import Constraint

KNOWN = {
    "scripted": "polylect-core",
    "openai": "polylect-openai",
    "anthropic": "polylect-anthropic",
    "local": "polylect-local",
}
"""Models of this project by the distribution that brings them, for the install line in errors."""
OWN = ModelSpec("scripted", "Replays given replies: for tests and examples", "polylect._scripted:scripted")


class ModelInfo(NamedTuple):
    """An installed model, listed without loading it."""

    name: str
    title: str
    distribution: str


class Asked(NamedTuple):
    """What a model is asked in one call."""

    prompt: str | list[dict[str, Any]]
    stop: tuple[str, ...] = ()
    tools: list[dict[str, Any]] | None = None
    tool_choice: str | None = None
    timeout: float | None = None
    """Seconds."""
    constraint: Constraint | None = None
    """What the reply must follow; the model's engine is to see to it."""


class _Entry(NamedTuple):
    spec: ModelSpec
    distribution: str

    def make(self, argument: str | None, options: dict[str, Any]) -> Model:
        """The model, with this argument and these options."""
        told = f"The model {self.spec.name!r} of {self.distribution}"
        try:
            factory = _factory(self.spec)
            wrong = _wrong_options(factory, options)
            if wrong:
                raise ModelError(f"{told} {wrong}")
            made = factory(argument, **options)
        except PolylectError:
            raise
        except (Exception, SystemExit) as error:
            raise PluginError(f"{told} can't be made: {type(error).__name__}: {error}") from error
        if not callable(made):
            raise PluginError(f"{told} is made as {type(made).__name__}, which can't be called.")
        model: Model = made
        return model


def _factory(spec: ModelSpec) -> Callable[..., Any]:
    source: Any = spec.load
    if isinstance(source, str):
        module, _, attribute = source.partition(":")
        source = getattr(importlib.import_module(module), attribute or "model")
    if not callable(source):
        raise PluginError(f"The model {spec.name!r} is announced with {type(source).__name__}, which makes no model.")
    made: Callable[..., Any] = source
    return made


def _wrong_options(factory: Callable[..., Any], options: dict[str, Any]) -> str:
    """What is wrong with the options, if something is."""
    try:
        signature = inspect.signature(factory)
    except (TypeError, ValueError):
        return ""
    kinds = inspect.Parameter
    named = [
        x
        for x in list(signature.parameters.values())[1:]
        if x.kind in (kinds.KEYWORD_ONLY, kinds.POSITIONAL_OR_KEYWORD)
    ]
    known = [x.name for x in named]
    if not any(x.kind is x.VAR_KEYWORD for x in signature.parameters.values()):
        for name in options:
            if name not in known:
                return f"takes no option {name!r}.{nearest(name, known)} Its options: {', '.join(known) or 'none'}."
    missing = [x.name for x in named if x.default is x.empty and x.name not in options]
    return f"needs the option {missing[0]!r}." if missing else ""


def check_spec(spec: Any, plugin: str) -> ModelSpec:
    """A spec with a name, a title and a way to load it.

    Raises:
        PluginError: it is none.
    """
    if not isinstance(spec, ModelSpec):
        raise PluginError(f"{plugin} lists {spec!r}, which is not a ModelSpec.")
    texts = spec.name, spec.title
    if not all(isinstance(x, str) and x for x in texts):
        raise PluginError(f"A model has a name and a title, both texts, not {texts!r}.")
    if ":" in spec.name:
        raise PluginError(f"{spec.name!r} is no name of a model: what stands behind a colon is its argument.")
    if not isinstance(spec.load, str) and not callable(spec.load):
        raise PluginError(f"The model {spec.name!r} is loaded by a factory or 'module:attribute', not {spec.load!r}.")
    return spec


class ModelRegistry:
    """Models by name: the table; when to look for plugins is the business of whoever holds it."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._entries = {OWN.name: _Entry(OWN, KNOWN[OWN.name])}
        self._contested: dict[str, Contest] = {}

    def gather(self, groups: Iterable[Iterable[Any]], plugin: str) -> list[ModelSpec]:
        """What a plugin's hook gave, checked.

        Raises:
            PluginError: it lists something else than models, or one of them twice.
        """
        specs = [check_spec(spec, plugin) for group in groups for spec in group]
        if len({spec.name for spec in specs}) < len(specs):
            raise PluginError(f"{plugin} lists a model twice.")
        return specs

    def claim(self, specs: Sequence[ModelSpec], distribution: str) -> tuple[tuple[str, ...], str | None]:
        """Add the models whose names are free; and tell of the names that are not."""
        with self._lock:
            taken = {spec.name: x for spec in specs if (x := self._taken(spec.name, distribution)) is not None}
            self._contested |= taken
            mine = [spec for spec in specs if spec.name not in taken]
            self._entries |= {spec.name: _Entry(spec, distribution) for spec in mine}
        return tuple(spec.name for spec in mine), " ".join(map(str, taken.values())) or None

    def contest(self, name: str, by: Contest) -> None:
        """Give a name to nobody: two plugins are called so."""
        self._contested[name] = by

    def check_free(self, specs: Iterable[ModelSpec], distribution: str) -> None:
        """PluginError if one of the names is taken."""
        for spec in specs:
            taken = self._taken(spec.name, distribution)
            if taken is not None:
                raise PluginError(str(taken))

    def _taken(self, name: str, distribution: str) -> Contest | None:
        owner = self._entries.get(name)
        if owner is None:
            return None
        return contest(distribution, owner.distribution, self._contested.get(name), f"a model named {name!r}")

    def register(self, spec: ModelSpec, *, override: bool = False) -> None:
        """Add a model of one's own; PluginError if its name is taken and ``override`` is not given."""
        own = "polylect.register_model()"
        check_spec(spec, own)
        with self._lock:
            if not override:
                self.check_free([spec], own)
            self._entries[spec.name] = _Entry(spec, own)
            self._contested.pop(spec.name, None)

    def unregister(self, name: str, plugins: Sequence[PluginInfo]) -> None:
        """Forget a model; ModelError if there is none of that name."""
        with self._lock:
            if not isinstance(name, str) or self._entries.pop(name, None) is None:
                raise self._unknown(name, plugins)
            self._contested.pop(name, None)

    def snapshot(self) -> tuple[dict[str, _Entry], dict[str, Contest]]:
        """All entries and contests as they are now."""
        with self._lock:
            return dict(self._entries), dict(self._contested)

    def go_back(self, names: tuple[dict[str, _Entry], dict[str, Contest]]) -> None:
        """Forget what was registered, and restore what was replaced, since ``names``."""
        with self._lock:
            self._entries, self._contested = names

    def infos(self) -> list[ModelInfo]:
        """All models, by name, none of them loaded."""
        with self._lock:
            return [ModelInfo(x.spec.name, x.spec.title, x.distribution) for _, x in sorted(self._entries.items())]

    def make(self, name: str, argument: str | None, options: dict[str, Any], plugins: Sequence[PluginInfo]) -> Model:
        """The model of that name; see :func:`polylect.model`."""
        if not isinstance(name, str):
            raise self._unknown(name, plugins)
        plain, colon, rest = name.partition(":")
        if colon and argument is not None:
            raise ModelError(f"The model {plain!r} has two arguments: {rest!r:.80}, and {argument!r:.80}.")
        argument = rest if colon else argument
        if argument is not None and not isinstance(argument, str):
            raise ModelError(f"A model's argument is text, not {type(argument).__name__}. Options are keywords.")
        for spelling in (plain, _key(plain)):
            if spelling in self._contested:
                raise PluginError(f"The model {spelling!r} can't be had: {self._contested[spelling]}")
            found = self._entries.get(spelling)
            if found is not None:
                return found.make(argument or None, options)
        raise self._unknown(plain, plugins, bare=not colon)

    def _unknown(self, name: Any, plugins: Sequence[PluginInfo], *, bare: bool = False) -> PolylectError:
        if not isinstance(name, str):
            return ModelError(
                f"A model's name is text, not {type(name).__name__}. A model that you have already needs no name: "
                "give it as it is."
            )
        key = _key(name)
        failed = [x for x in plugins if x.error is not None]
        broken = next((x for x in failed if x.distribution == KNOWN.get(key) and key not in x.models), None)
        if broken is not None:
            return PluginError(f"The model {key!r} can't be had: {broken.distribution} is broken: {broken.error}")
        if key in KNOWN and key not in self._entries:
            return ModelError(f"The model {key!r} is not installed. {install_line(KNOWN[key])}")
        hint = nearest(key, sorted({*self._entries, *KNOWN}))
        missing = next((k for k in KNOWN if f"{k!r}" in hint and k not in self._entries), None)
        install = "" if missing is None else f" {install_line(KNOWN[missing])}"
        listed = ", ".join(sorted(self._entries)) or "none"
        on_a_server = bare and not hint and name.strip()
        behind = f" What a server calls its model stands behind a colon: 'openai:{name:.80}'." if on_a_server else ""
        return ModelError(
            f"There is no model {name!r:.80}.{hint}{install} Installed: {listed}.{behind}{may_bring(key, failed)}"
        )


def _key(name: str) -> str:
    return name.strip().casefold().replace("-", "_")


# --- public functions -------------------------------------------------------------------------------------------------


def models() -> list[ModelInfo]:
    """All installed models (``name``, ``title``, ``distribution``), sorted by name, none of them loaded."""
    from . import _registry

    return _registry.registry.all_models().infos()


def model(name: str, argument: str | None = None, /, **options: Any) -> Any:
    """A model, ready to be called; see :class:`polylect.Model`. What else it has is its own (``close()``, say).

    >>> import polylect
    >>> polylect.model("scripted", replies=["Oslo"])("What is the capital of Norway?")
    'Oslo'

    Args:
        name: the name of an installed model, as :func:`models` lists them; behind a colon, the argument:
            ``"openai:gpt-4o-mini"``.
        argument: the same, by itself: a model's name on its server, a file.
        options: keywords of the model's own; its documentation lists them.

    Raises:
        ModelError: there is no such model (the message has the nearest name and the line that installs it), or it
            can't be had with this argument and these options.
        PluginError: it is installed and broken, or two distributions claim its name.
    """
    from . import _registry

    registry = _registry.registry
    return registry.all_models().make(name, argument, options, registry.plugins())


def register_model(name: str, load: Callable[..., Any] | str, *, title: str = "", override: bool = False) -> None:
    """Add a model of your own, no packaging needed: afterwards ``polylect.model("name:argument", …)`` makes it.

    Args:
        name: a name without a colon.
        load: called with the argument (text or None) and the options, gives the model; or ``"module:attribute"``.
        title: a few words for people.
        override: replace a model that has this name.

    Raises:
        PluginError: the name is taken, or one of these is not what it should be.
    """
    from . import _registry

    spec = ModelSpec(name, title or name, load)
    _registry.registry.all_models().register(spec, override=override)


def unregister_model(name: str) -> None:
    """Forget a model.

    Raises:
        ModelError: there is none of that name.
    """
    from . import _registry

    registry = _registry.registry
    registry.all_models().unregister(name, registry.plugins())
