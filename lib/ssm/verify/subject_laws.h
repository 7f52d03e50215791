// The laws of mixers and models, one function each, one file each. All run in scalar T.
#pragma once

#include "ssm/verify/law_subject.h"
#include "ssm/verify/laws.h"

namespace ssm {

/// Any split of T, with the state carried, gives the same y, final state and gradients.
template <Scalar T>
LawResult SplitLaw(const LawSubject<T>& subject, const LawRequest& request);
/// The stepper folded over T equals Forward.
template <Scalar T>
LawResult StepLaw(const LawSubject<T>& subject, const LawRequest& request);
/// Changing x (ids, dt, starts) after t leaves y up to t alone: bit for bit, 1e-12 / 1e-5 where an
/// FFT is used.
template <Scalar T>
LawResult CausalLaw(const LawSubject<T>& subject, const LawRequest& request);
/// Step half, save, load into another stepper, of another object or one that has been elsewhere
/// since, step the rest: the bits of stepping through.
template <Scalar T>
LawResult ResumeLaw(const LawSubject<T>& subject, const LawRequest& request);
/// A reset row equals a fresh sequence and its neighbours do not notice.
template <Scalar T>
LawResult ResetLaw(const LawSubject<T>& subject, const LawRequest& request);
/// A row alone equals the row in a batch; permuting rows permutes what comes out.
template <Scalar T>
LawResult BatchLaw(const LawSubject<T>& subject, const LawRequest& request);
/// Analytic gradients equal differences along 4 random directions and 6 coordinates of every
/// parameter tensor, the input and the initial state, with stopped values held.
LawResult GradientLaw(const LawSubject<double>& subject, const LawRequest& request);
/// Time-invariant mixers obey superposition and time invariance, time-varying ones superposition
/// alone. Selective ones break both, and are affine in the initial state.
template <Scalar T>
LawResult KindLaw(const LawSubject<T>& subject, const LawRequest& request);
/// Live bytes follow from the kinds of the slots, and dead entries are 0.
template <Scalar T>
LawResult BudgetLaw(const LawSubject<T>& subject, const LawRequest& request);
/// A second pass of the same shapes, and a stepper, allocate nothing.
template <Scalar T>
LawResult NoAllocationLaw(const LawSubject<T>& subject, const LawRequest& request);
/// T 4096, inputs of +-100, decays driven to 0 and 1: values and gradients stay finite.
template <Scalar T>
LawResult StressLaw(const LawSubject<T>& subject, const LawRequest& request);
/// Initial values lie where the mixer says they do.
template <Scalar T>
LawResult InitLaw(const LawSubject<T>& subject, const LawRequest& request);
/// Half the step and every sample held twice changes nothing (mixers under a zero-order hold).
template <Scalar T>
LawResult HoldLaw(const LawSubject<T>& subject, const LawRequest& request);
/// Permuting a mixer's modes changes nothing.
template <Scalar T>
LawResult ModesLaw(const LawSubject<T>& subject, const LawRequest& request);

}  // namespace ssm
