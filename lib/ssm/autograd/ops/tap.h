// A copy of a value and of its gradient, taken while they exist.
#pragma once

#include "ssm/autograd/tape.h"

namespace ssm {

/// y = x. Assigns x to *value; during Backward, dL/dx of all that lies after it to *gradient.
/// Either may be null; both must outlive Backward. Saved: nothing. Allocates where they are too
/// small.
template <Scalar T>
Var<T> Tap(Tape<T>& tape, Var<T> x, Array<T>* value, Array<T>* gradient);

}  // namespace ssm
