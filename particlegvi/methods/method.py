"""The base class of methods: the defaults of the contract `particlegvi.contracts.Method`."""

from __future__ import annotations

import copy
from typing import ClassVar, Self

from particlegvi.contracts import Flow, Kernel, Objective
from particlegvi.methods.flow import ParticleProblem
from particlegvi.tools import html, objects
from particlegvi.tools.quoting import shown

DEFAULT = "euler-maruyama"  # the integrator where none is named


class Method:
    """A method that minimises L(Q) = E_Q[loss] + mmd_weight MMD^2(Q, P) + kl_weight KL(Q, P).

    A subclass has a ``label``, a method ``flow``, a ``name`` where scenarios find it by one, and everything that
    differs from the defaults here, each as a class attribute, a field of a dataclass or a property.

    Attributes
    ----------
    label : str
        Name in tables and figures.
    objective : str
        The set over which L(Q) is minimised, which decides the method's target: "measures", all probability measures;
        "gaussians", the Gaussians with independent coordinates; "reference", a distance to a measure that was
        given; or "none", something else. The last two have no target, unless the subclass has a method
        ``target(loss, prior, initial)`` that says it (`particlegvi.targets.own`).
    kl_weight, mmd_weight : float
        Weights of the objective; 0, the default, leaves the term out.
    kernel : Kernel or None
        Kernel of the MMD; None is `particlegvi.kernels.bandwidth.default_kernel`. Without meaning for the target if
        mmd_weight is 0.
    has_noise : bool
        Whether each particle moves with noise of its own, so that it is a chain. False by default.
    schedules : bool
        Whether the flow asks ``problem.step_size_at(step)``, so that a step-size schedule may be given. False by
        default.
    follows_loss : bool
        Whether the particles descend the loss, so that its curvature limits the step size. True by default.
    """

    label: ClassVar[str]
    objective: ClassVar[Objective] = "measures"
    kl_weight: float = 0.0
    mmd_weight: float = 0.0
    kernel: Kernel | None = None
    schedules: ClassVar[bool] = False
    follows_loss: ClassVar[bool] = True

    def _repr_html_(self) -> str:
        objects.method(self)
        settings = {name: value for name, value in vars(self).items() if not name.startswith("_")}
        return html.card(f"{type(self).__name__}", {"label": self.label, **settings, "minimises over": self.objective})

    @property
    def has_noise(self) -> bool:
        """Whether each particle moves with noise of its own: no."""
        return False

    def check_integrator(self, name: str) -> None:
        """Raise a ValueError if the integrator of this name is wrong for the method: every one but the default.

        A flow has steps of its own, and would pass over an integrator. The method of a flow that uses
        ``problem.integrator`` says here which it takes.
        """
        if name != DEFAULT:
            own = f"{self.label} has steps of its own"
            raise ValueError(f'integrator must be "{DEFAULT}", which is the default, not {shown(name)}: {own}')

    def with_kernel(self, kernel: Kernel) -> Self:
        """A shallow copy of the method with another kernel; a subclass whose kernel is a property has its own."""
        method = copy.copy(self)
        object.__setattr__(method, "kernel", kernel)  # a frozen dataclass refuses a plain assignment
        return method

    def flow(self, problem: ParticleProblem) -> Flow:
        """The flow for one problem."""
        raise NotImplementedError(f"{type(self).__name__} has no method flow")
