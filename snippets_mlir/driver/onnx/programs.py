"""The builds of an ONNX model that kernels and onnxruntime share.

`cuts/engine_cuts.py` decides once which nodes become kernels; for a dynamic model it uses the sizes
of the first call. If no kernel pays off, the program is one session for all shapes. Otherwise
kernels and the sessions between them are made for symbolic sizes (`shared_program.py`). A call that
does not fit them runs as one session: one of two sizes assumed to be equal is 1, or a size is 0
that may not be (`empty_inputs.py`). A call with another class of numbers of keys has its own plan
and kernels (`dynamic/size_classes.py`). If onnxruntime lacks an operator that a plug-in has, the
call gets its own code.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from time import perf_counter

from xdsl.dialects.builtin import ModuleOp

from snippets_mlir.codegen.errors import InternalError
from snippets_mlir.codegen.stubs.objects import OF_CALLS, OF_TEMPLATES, begin_objects
from snippets_mlir.driver.building.built import Built
from snippets_mlir.driver.compiling import COMPILING
from snippets_mlir.driver.dynamic.call_classes import Classes
from snippets_mlir.driver.dynamic.templates import Shapes
from snippets_mlir.driver.dynamic.undecided import reason_of
from snippets_mlir.driver.onnx.cuts.engine_cuts import Cuts
from snippets_mlir.driver.onnx.inside.kernels import module_of
from snippets_mlir.driver.onnx.kept_model import KeptModel
from snippets_mlir.driver.onnx.shared_program import SharedProgram, shared_program
from snippets_mlir.driver.reports.kernel_entry import NO_KERNEL
from snippets_mlir.driver.workers.apart import Later
from snippets_mlir.driver.workers.in_turn import InTurn
from snippets_mlir.runtime.program import Program
from snippets_mlir.support.diagnostics import one_line
from snippets_mlir.support.errors import CompileError, UndecidedError
from snippets_mlir.support.spans import span

INSIDE = "kernels inside of one session save more"
FORCED = "kernels inside are forced for other nodes alone"
BOUND = "no kernel of the model can save what the cut of the session costs"


class OnnxPrograms(KeptModel):
    """Compiles an ONNX model once; the interface is the same as `Templates`.

    Attributes:
        compilations: how often code was generated.
        other_session: the session of other builds of the model, if there are others.
    """

    compilations = 0
    other_session: Callable[[], Built] | None = None
    _shared: SharedProgram | None = None
    _whole: Built | None = None

    @cached_property
    def _others(self) -> dict[Classes, OnnxPrograms]:  # for other classes of sizes
        return {}

    @property
    def reason(self) -> str | None:
        """None: no call needs code of its own."""
        return None

    @property
    def is_one_session(self) -> bool:
        """Whether calls of all shapes are known to run as one session."""
        return self._is_whole and self._growing.plan is None

    @property
    def has_kernels(self) -> bool:
        """Whether the plan has kernels, beside sessions or inside of one."""
        return self._shared is not None or self._one.inside is not None

    @property
    def _is_whole(self) -> bool:
        """Whether calls run as one session until one is planned again."""
        return self.cuts is not None and self._shared is None and not self._needs_kernels

    def decide(self, shapes: Shapes) -> None:
        """Plan for calls with inputs of `shapes`, unless an earlier plan counts for them."""
        if not self._needs_plan(shapes):
            return
        with COMPILING:
            if not self._needs_plan(shapes):
                return  # another thread was faster
            try:
                (self._decide if self.cuts is None else self._plan_again)(shapes)
            except (CompileError, InternalError, UndecidedError, RecursionError):
                raise
            except Exception as error:  # the model may not have been checked yet
                self._refuse(error)

    def _needs_plan(self, shapes: Shapes) -> bool:
        return self.cuts is None or self._growing.is_outgrown_by(shapes)

    def built(self, shapes: Shapes | None) -> Built | None:
        """The program for a call with inputs of `shapes`, which are None without dynamic dims.

        None if the call needs its own code: onnxruntime lacks an operator of the model, and the
        kernels for symbols do not accept these shapes.
        """
        self.decide(shapes or ())
        if (session := self.small.session(shapes or ())) is not None:
            return session
        if (other := self._other(shapes or (), made=True)) is not None:
            before = other.compilations
            built = other.built(shapes)
            self.compilations += other.compilations - before
            return built
        filled = None if self._shared is None else self._shared.filled(shapes or ())
        if filled is not None:
            return self.small.counted(shapes or (), filled)
        return None if self._needs_kernels else self._one_session(shapes or ())

    def template(self, shapes: Shapes) -> tuple[Program, list[int]] | None:
        """The template for a call, and the values of its symbols; None: `built` has more to do."""
        if self._shared is None or self.small.session(shapes) is not None:
            return None
        if self._shared.other_classes(shapes) is None:
            self.small.count(shapes)
            return self._shared.symbols(shapes)
        other = self._other(shapes)
        return None if other is None else other.template(shapes)

    def session_for(self, shapes: Shapes) -> Built | None:
        """The session, if it is open and a call with inputs of `shapes` runs in it."""
        if self._is_whole:
            return None if self._needs_plan(shapes) else self._whole
        return self.small.session(shapes)

    def _other(self, shapes: Shapes, *, made: bool = False) -> OnnxPrograms | None:
        """The builds for the classes of a call that these do not suit; `made` now if necessary."""
        classes = None if self._shared is None else self._shared.other_classes(shapes)
        if classes is None:
            return None
        with COMPILING:
            if made and classes not in self._others:
                self._others[classes] = OnnxPrograms(
                    self._source, self._inputs, self._outputs, self._asked, self._ctx
                )
                self._others[classes].other_session = lambda: self._one_session(())
        return self._others.get(classes)

    def module(self, shapes: Shapes) -> ModuleOp | None:
        """The compiled module for calls with inputs of `shapes`; None for one session."""
        if self.small.session(shapes) is not None:
            return None
        if (other := self._other(shapes)) is not None:
            return other.module(shapes)
        if self._shared is not None:
            return self._shared.module(self._source.prepared, shapes)
        inside = self._one.inside
        return None if inside is None else module_of(inside.chains)

    def _decide(self, shapes: Shapes) -> None:
        """Plan the cuts for these shapes, and make the kernels if some pay off.

        An empty input, such as a cache before the first token, counts as one with a row.
        """
        shapes = tuple(tuple(max(size, 1) for size in shape) for shape in shapes)
        self._needs_kernels = self._has_foreign_nodes()
        begun, self._begun = self._begun, None
        if self._has_forced:
            self._one.put_inside(shapes)
            self._refused, self.cuts = FORCED, Cuts({}, {}, (), ())
            self.compilations += 1
            return
        if self._is_free and not self._may_pay(shapes):
            self._refused, self._bound_for = BOUND, shapes
            self._add_growth(shapes)
            self.cuts = Cuts({}, {}, (), ())
            return
        with InTurn() as thread:
            cuts = self._with_kernels(self._planned(shapes, begun), shapes, thread.begin)
            if self._shared is None:
                thread.leave_out()
        if self._refused == NO_KERNEL and cuts is not None and not cuts.kernels:
            self._add_growth(shapes)
        self.cuts = cuts

    def _plan_again(self, shapes: Shapes) -> None:
        """Decide again for a call that outgrows the plan; unchanged if this is not possible."""
        if not self._growing.begin():
            self._growing.settle()
            return
        self._refused, self._bound_for, self._lines = NO_KERNEL, None, None
        try:
            self._decide(shapes)
        except (CompileError, InternalError, UndecidedError) as error:
            self.cuts = self._one_for(one_line(str(error)))
        self._growing.end()
        if not self._is_whole or self._one.inside is not None:
            self._whole = None
        elif self._whole is not None:
            self._keep_session(self._whole)

    def _with_kernels(self, cuts: Cuts | None, shapes: Shapes, later: Later) -> Cuts | None:
        """Make the kernels of a plan, or use one session if that is better."""
        if cuts is None or not cuts.kernels:
            return cuts
        if self._fits_inside(shapes, cuts.saved):
            return self._one_for(INSIDE)
        begin_objects(OF_TEMPLATES if self._source.is_dynamic else OF_CALLS, later)
        try:
            self._shared = self._compiled(cuts, later, shapes)
        except UndecidedError as error:
            return self._one_for(reason_of(error))
        self.small = self._small_calls(lambda: self._one_session(()))
        self._keep(self._shared)
        return cuts

    def _compiled(self, cuts: Cuts, later: Later, shapes: Shapes) -> SharedProgram:
        self._expect(cuts)
        source, settings, idle = self._source, self._settings, self._while_llvm_works
        made = shared_program(source, self._inputs, cuts, settings, self._ctx, later, idle, shapes)
        self.compilations += 1
        return made

    def _fits_inside(self, shapes: Shapes, saved: float = 0.0) -> bool:
        """Whether there are kernels inside of one session, and save more than cuts save."""
        if self._has_forced or not self._is_free or not self._one.look_inside(shapes, saved):
            return False
        self.compilations += 1
        return True

    def _one_session(self, shapes: Shapes) -> Built:
        with COMPILING:
            if self._whole is not None:
                return self._whole
            start = perf_counter()
            try:
                with span("session", "phase"):
                    if self._one.inside is None and self._is_whole and self._fits_inside(shapes):
                        self._growing.settle()
                    if self._one.inside is None and self.other_session is not None:
                        built = replace(self.other_session(), opaque=self._opaque())
                    else:
                        built = self._one.open(self._opaque, beside=self._shared is not None)
            except CompileError:
                self._source.prepared.require_sound()  # its message says more
                raise
            if self._is_whole:
                self._keep_session(built)
            self._one.release()
            self._whole = replace(built, seconds={"session": perf_counter() - start})
            self._source.release()
            return self._whole
