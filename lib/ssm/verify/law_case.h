// The cases a law goes through: lengths, and what complicates them.
#pragma once

#include <functional>
#include <vector>

#include "ssm/verify/law_run.h"

namespace ssm {

/// Which complications a law can bear.
struct CaseOptions {
  bool starts = true;
  bool padding = true;
  bool warm = true;  // rows at different steps; else every row fresh
  int64_t rows = 3;
};

template <Scalar T>
struct LawCase {
  LawBatch<T> batch;
  State<T> initial;
  Runner<T> run;
  Random random;      // for what the law itself draws
  std::string label;  // "T 33, starts, dt, dt_scale 2"
};

/// 1, 2, 3, 7, 33, 64, 127; around every window and twice it; around the mixers' own lengths.
/// Only request.T when that is given.
std::vector<int64_t> LawLengths(const std::vector<SlotSpec>& slots,
                                const std::vector<MixerProperties>& mixers,
                                const LawRequest& request);

/// Runs `body` on every length of `lengths` four times: plain; starts; padding and dt; all of them
/// with dt_scale 2. Parameters, inputs and states follow from request.seed, the law's name, the
/// length and the variant alone, so that one length can be run again by itself.
template <Scalar T>
LawResult ForCases(const char* law, double tolerance, const LawSubject<T>& subject,
                   const LawRequest& request, const std::vector<int64_t>& lengths,
                   const CaseOptions& options,
                   const std::function<void(LawCase<T>&, LawReport&)>& body);
/// Over LawLengths.
template <Scalar T>
LawResult ForCases(const char* law, double tolerance, const LawSubject<T>& subject,
                   const LawRequest& request, const CaseOptions& options,
                   const std::function<void(LawCase<T>&, LawReport&)>& body);

}  // namespace ssm
