// A result of the literature as something to compute again, with gates.
#pragma once

#include <string>
#include <vector>

#include "ssm/config/registry.h"

namespace ssm {

/// One number against its gate.
struct GateRow {
  std::string what;  // "N = 4 f theta, f theta 8"
  double measured = 0;
  double bound = 0;
  bool upper = true;              // measured <= bound; else measured >= bound
  bool gated = true;              // false: told, and held to nothing
  std::vector<double> each = {};  // of every seed, where the number was measured under several
  std::string published = {};     // what was published of it; empty where nothing
  std::string diagnosis = {};     // why it does not hold, as far as is known

  /// NaN holds nothing.
  bool holds() const { return !gated || (upper ? measured <= bound : measured >= bound); }
};

/// What a computation is run under. Nothing of it changes a number, but that `quick` takes fewer.
struct ResultSetting {
  std::string directory;                    // where relative paths of its file start
  std::string out;                          // the folder for what it trains
  bool quick = false;                       // one seed in place of several
  int threads = 0;                          // 0: DefaultThreads()
  bool progress = false;                    // of training, on stderr
  std::vector<std::string> arguments = {};  // the command line, for manifests
};

/// A computation a file in configs/results names by its "type".
class ResultComputation : public Configurable {
 public:
  /// Deterministic.
  virtual std::vector<GateRow> Run(const ResultSetting& setting) const = 0;
};

using ResultRegistry = Registry<ResultComputation>;

/// Every computation of the library that trains nothing, one line each.
void RegisterResults(ResultRegistry& registry);

/// A file in configs/results.
struct PublishedResult final : Configurable {
  explicit PublishedResult(const ResultRegistry& registry) : result(registry) {}
  std::string id;         // "P2"
  std::string title;      // what is shown
  std::string published;  // the claim, and where it was made
  OneOf<ResultComputation> result;

  void VisitFields(FieldVisitor& visitor) override;
};

}  // namespace ssm
