// One sequence of adding, drawn step by step.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "ssm/base/random.h"
#include "ssm/tasks/task.h"

namespace ssm {

/// kAnywhere: every pair of different steps is as likely; kHalves: one step of the first
/// floor(steps / 2), one of the others.
enum class AddingPlaces { kAnywhere, kHalves };

/// Sequences of one length, at least 2 steps.
struct AddingLaw {
  AddingPlaces places = AddingPlaces::kAnywhere;
  int64_t steps = 200;
  int64_t window = 32;
};

/// Numbers uniform in (0, 1), two of them marked; the last step asks for the sum of these two. Its
/// lag is the steps since the first of them. References in the order of AddingReferences; latents
/// are the sum of the numbers marked so far and how many they are. O(1) a step, constant memory.
std::unique_ptr<SequenceStream> MakeAddingStream(const AddingLaw& law, Random random);

/// "sum" (the ceiling), "window W" (sees the newest W steps, and takes one half for each marked
/// number before them: no predictor that sees no more does better) and "mean" (says 1).
std::vector<Reference> AddingReferences(int64_t window);

/// How many of the two marked numbers are expected to lie before the newest `window` steps: each of
/// them adds 1/12, the variance of a number, to the least squared error.
double NumbersOutOfWindow(const AddingLaw& law);

}  // namespace ssm
