"""Upstream's `canonicalize`, with the traits of an op looked up once for each class.

    %0 = snippets.constant dense<2.0> : tensor<f32>
    %1 = snippets.multiply %x, %0        ->      %1 = snippets.multiply %x, %0
    %2 = snippets.add %x, %0                     (the sum has no readers)

The folds, the patterns, their order, the sweep for dead ops and the output are upstream's. Upstream
searches the traits of an op at each visit: for its folds, its patterns and its effects. That is
half of the time of the pass, and the pass is a tenth of a compilation before the linear IR.
"""

# No annotations from __future__: xDSL reads the options of passes from these.

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, UnregisteredOp
from xdsl.folder import Folder
from xdsl.ir import Operation, Region
from xdsl.pattern_rewriter import (
    PatternRewriter,
    PatternRewriterListener,
    PatternRewriteWalker,
    RewritePattern,
)
from xdsl.traits import (
    ConstantLike,
    HasCanonicalizationPatternsTrait,
    HasFolder,
    IsTerminator,
    MemoryEffect,
    NoMemoryEffect,
    SymbolOpInterface,
)
from xdsl.transforms import canonicalize
from xdsl.transforms.dead_code_elimination import LiveSet, would_be_trivially_dead


@dataclass(frozen=True)
class _Kind:
    """Facts from the traits of a class.

    Attributes:
        folds: whether its ops may fold, and are no constants.
        patterns: its canonicalization patterns.
        dies: whether its ops are dead without readers; None if that depends on the op.
    """

    folds: bool
    patterns: Sequence[RewritePattern]
    dies: bool | None


def _kind_of(cls: type[Operation]) -> _Kind:
    if issubclass(cls, UnregisteredOp):
        return _Kind(False, (), False)
    folds = cls.has_trait(HasFolder) and not cls.has_trait(ConstantLike)
    traits = cls.get_traits_of_type(HasCanonicalizationPatternsTrait)
    patterns = [pattern for trait in traits for pattern in trait.get_patterns(cls)]
    return _Kind(folds, patterns, _dies(cls))


def _dies(cls: type[Operation]) -> bool | None:
    effects = cls.get_traits_of_type(MemoryEffect)
    if not effects or cls.has_trait(IsTerminator) or cls.has_trait(SymbolOpInterface):
        return False
    return True if all(isinstance(effect, NoMemoryEffect) for effect in effects) else None


class _Kinds:
    """The facts from the traits of a module's classes, valid during one pass."""

    def __init__(self) -> None:
        self._known: dict[type[Operation], _Kind] = {}

    def of(self, op: Operation) -> _Kind:
        """The facts of the class of `op`."""
        cls = op.__class__
        if (kind := self._known.get(cls)) is None:
            kind = self._known[cls] = _kind_of(cls)
        return kind

    def dies(self, op: Operation) -> bool:
        """Whether `op` is dead if its results have no readers."""
        dies = self.of(op).dies
        return would_be_trivially_dead(op) if dies is None else dies


class _Canonical(RewritePattern):
    """Erases an op if it is dead, else folds it, else offers it to its patterns."""

    def __init__(self, kinds: _Kinds, ctx: Context) -> None:
        self._kinds = kinds
        self._folder = Folder(ctx)

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        """The same as upstream's `GreedyRewritePatternApplier`."""
        if all([r.first_use is None for r in op.results]) and self._kinds.dies(op):
            rewriter.erase(op)
            return
        kind = self._kinds.of(op)
        if kind.folds and (folded := self._folder.try_fold(op)) is not None:
            values, made = folded
            rewriter.replace(op, made, values)
            return
        for pattern in kind.patterns:
            pattern.match_and_rewrite(op, rewriter)
            if rewriter.has_done_action:
                return


class _Live(LiveSet):
    """Ops with effects, and the ops of their operands."""

    def __init__(self, kinds: _Kinds) -> None:
        super().__init__()
        self._kinds = kinds

    def propagate_op_liveness(self, op: Operation) -> None:
        """Mark `op` as live if it has effects, or if a live op reads it."""
        for region in op.regions:
            self.propagate_region_liveness(region)
        live = self._live_ops
        if op in live:
            return
        if not self._kinds.dies(op):
            self.set_live(op)
            return
        for result in op.results:
            use = result.first_use
            while use is not None:
                if use.operation in live:
                    self.set_live(op)
                    return
                use = use._next_use  # pyright: ignore[reportPrivateUsage]

    def sweep(self, region: Region, listener: PatternRewriterListener) -> bool:
        """Erase dead ops of `region`; returns whether there were any."""
        while self.changed:
            self.changed = False
            self.propagate_region_liveness(region)
        self.delete_dead(region, listener)
        return self.changed


@dataclass(frozen=True)
class CanonicalizePass(canonicalize.CanonicalizePass):
    """Fold, apply canonicalization patterns, and erase dead ops, until nothing changes."""

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Canonicalize all ops of the module."""
        kinds = _Kinds()

        def erase_dead(region: Region, listener: PatternRewriterListener) -> bool:
            return _Live(kinds).sweep(region, listener)

        pattern = _Canonical(kinds, ctx)
        PatternRewriteWalker(pattern, post_walk_func=erase_dead).rewrite_module(op)
