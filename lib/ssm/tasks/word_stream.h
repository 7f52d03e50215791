// One sequence of word_problem, drawn step by step.
#pragma once

#include <memory>
#include <vector>

#include "ssm/base/random.h"
#include "ssm/tasks/group.h"
#include "ssm/tasks/length_range.h"
#include "ssm/tasks/task.h"

namespace ssm {

struct WordLaw {
  Group group;
  Lengths lengths;
  bool every = false;  // each step is scored, not just the last
  int64_t window = 8;
};

/// Elements drawn uniformly; the target is the product x_1 x_2 ... x_t of those shown so far.
/// References in the order of WordReferences; the one latent is that product. O(1) a step, memory
/// O(window + order).
std::unique_ptr<SequenceStream> MakeWordStream(const WordLaw& law, Random random);

/// "product" (the ceiling), "window W" (the product of the newest W elements), "newest" (the newest
/// element), where the group does not commute "coset" (knows the product but for a commutator, see
/// Group::Coset: what a sum over elements, in whatever order, can tell), and "guess".
std::vector<Reference> WordReferences(const Group& group, int64_t window);

/// Accuracies of WordReferences, in that order; exact. A product of fewer elements than all is
/// right where all were seen, and once in order() else; a coset has order() / cosets() elements,
/// each as likely.
std::vector<double> WordAccuracies(const WordLaw& law);

}  // namespace ssm
