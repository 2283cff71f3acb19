"""Local rewrites as patterns, the sweep that runs them, and a pass of patterns.

    class MultiplyAdd(Pattern[AddOp, Contraction]):
        '''`a * b + c` is `fma(a, b, c)`.'''

        name = "multiply-add"
        ops = (AddOp,)
        conditions = (is_float,)

        def match(self, op: AddOp) -> Contraction | None: ...
        def rewrite(self, op: AddOp, match: Contraction, rewriter: PatternRewriter) -> None: ...

A pattern is an xDSL `RewritePattern`. It is anchored at one op, looks at that op and its neighbours
by use, and edits only there. Its conditions are named predicates: the rewrite is legal if they
hold, and `snippets-opt --list-patterns` prints them. `match` finds the facts for the edit and
changes nothing. A pattern may be constructed with facts (the loop table of a kernel, the target);
no pattern of the pass changes them.

`sweep` offers each op that exists at the beginning to the patterns once, outer ops first, in text
order. The first pattern that matches an op wins. The result is that of xDSL's
`PatternRewriteWalker(GreedyRewritePatternApplier(patterns), apply_recursively=False)`; `sweep`
finds the patterns of an op by its class.
"""

# No annotations from __future__: xDSL reads the options of passes from these.

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, ClassVar, Generic, TypeVar, cast

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint

from snippets_mlir.passes.base import Form, Pass
from snippets_mlir.passes.plans import name_of
from snippets_mlir.support.diagnostics import close_match
from snippets_mlir.support.errors import CompileError
from snippets_mlir.support.spans import span
from snippets_mlir.support.walking import ops_inside

OpT = TypeVar("OpT", bound=Operation)
MatchT = TypeVar("MatchT")


class Pattern(RewritePattern, Generic[OpT, MatchT]):
    """One local rewrite; its docstring is its equation, or one sentence."""

    name: ClassVar[str]
    """The name by which it is listed and disabled, unique in its pass."""
    ops: ClassVar[tuple[type[Operation], ...]]
    """Classes of the op that it is anchored at."""
    conditions: ClassVar[tuple[Callable[[Any], bool], ...]] = ()
    """Named predicates on the op; all have to hold."""

    @abstractmethod
    def match(self, op: OpT) -> MatchT | None:
        """The facts for the edit, or None if the pattern does not fit; changes nothing."""

    @abstractmethod
    def rewrite(self, op: OpT, match: MatchT, rewriter: PatternRewriter) -> None:
        """Edit `op` and its neighbours, without further checks."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        """Rewrite `op` if it is an anchor, all conditions hold, and `match` finds something."""
        if not isinstance(op, self.ops):
            return
        for condition in self.conditions:
            if not condition(op):
                return
        anchor = cast(OpT, op)
        if (found := self.match(anchor)) is not None:
            self.rewrite(anchor, found, rewriter)
            rewriter.has_done_action = True

    @classmethod
    def requirements(cls) -> tuple[str, ...]:
        """The names of the conditions for lists."""
        return tuple(
            condition.__name__.strip("_").replace("_", "-") for condition in cls.conditions
        )


AnyPattern = Pattern[Any, Any]


def sweep(root: Operation, patterns: Sequence[AnyPattern]) -> bool:
    """Offer each op inside of `root` to the patterns once; returns whether one fired."""
    kinds = tuple(pattern.__class__ for pattern in patterns)
    anchored = _anchored(kinds)
    todo: list[tuple[Operation, tuple[int, ...]]] = []
    for op in ops_inside(root):
        cls = op.__class__
        if (places := anchored.get(cls)) is None:
            places = tuple(i for i, kind in enumerate(kinds) if issubclass(cls, kind.ops))
            anchored[cls] = places
        if places:
            todo.append((op, places))
    return bool(todo) and _run(todo, patterns)


@cache
def _anchored(kinds: tuple[type[AnyPattern], ...]) -> dict[type[Operation], tuple[int, ...]]:
    """For each visited class of ops, the patterns that are anchored at it."""
    return {}


def _run(todo: Sequence[tuple[Operation, tuple[int, ...]]], patterns: Sequence[AnyPattern]) -> bool:
    fired, erased = False, set[Operation]()
    rewriter = PatternRewriter(todo[0][0])
    rewriter.operation_removal_handler.append(
        lambda op: erased.update(op.walk()) if op.regions else erased.add(op)
    )
    for op, places in todo:
        if op in erased:
            continue
        rewriter.has_done_action = False
        rewriter.insertion_point = InsertPoint.before(op)
        rewriter.name_hint = None
        for place in places:
            patterns[place].match_and_rewrite(op, rewriter)
            if rewriter.has_done_action:
                fired = True
                break
    return fired


@dataclass(frozen=True)
class PatternPass(Pass):
    """A pass that is a list of patterns.

    Options: `disable-patterns` names patterns that do not run (MLIR's option of that name).
    """

    FORM: ClassVar[Form] = "patterns"
    PATTERNS: ClassVar[tuple[type[AnyPattern], ...]]
    """The patterns; if two fit one op, the first has precedence."""

    disable_patterns: tuple[str, ...] = ()

    def prepare(self, module: ModuleOp) -> None:
        """Work before the first sweep, such as declarations for the edits."""

    def roots(self, module: ModuleOp) -> Iterable[Operation]:
        """The ops with one sweep each, in order; a pass overrides it to leave some out."""
        return (module,)

    def facts(self, root: Operation) -> tuple[Any, ...]:
        """The arguments of the patterns' constructors; no pattern changes them."""
        return ()

    def finish(self, root: Operation) -> None:
        """Final work in `root` after the sweep, such as its stage."""

    def complete(self, module: ModuleOp) -> None:
        """Final work after the last sweep."""

    def patterns(self, root: Operation) -> list[AnyPattern]:
        """The patterns that are not disabled.

        Raises:
            CompileError: `disable-patterns` names none of the pass.
        """
        facts = self.facts(root)
        return [pattern(*facts) for pattern in self.enabled()]

    def enabled(self) -> list[type[AnyPattern]]:
        """The classes of the patterns that are not disabled."""
        known = [pattern.name for pattern in self.PATTERNS]
        for name in self.disable_patterns:
            if name not in known:
                hint = close_match(name, known) or f"; it has {', '.join(known)}"
                raise CompileError(f"pass '{self.name}' has no pattern '{name}'{hint}")
        return [p for p in self.PATTERNS if p.name not in self.disable_patterns]

    def sweeps(self, module: ModuleOp) -> Iterator[tuple[Operation, list[AnyPattern]]]:
        """Each sweep: its root and its patterns; the next one is requested after it."""
        for root in self.roots(module):
            yield root, self.patterns(root)
            self.finish(root)

    def run(self, module: ModuleOp) -> None:
        """Run one sweep of the patterns over each root."""
        for root, patterns in self.sweeps(module):
            with span(partial(name_of, root), "unit"):
                sweep(root, patterns)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Prepare, run the patterns in each root, complete."""
        self.prepare(op)
        self.run(op)
        self.complete(op)
