// A result of the literature as something to compute again, with gates.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "ssm/config/registry.h"

namespace ssm {

/// One number against its gate.
struct GateRow {
  std::string what;  // "N = 4 f theta, f theta 8"
  double measured = 0;
  double bound = 0;
  bool upper = true;  // measured <= bound; else measured >= bound

  /// NaN holds nothing.
  bool holds() const { return upper ? measured <= bound : measured >= bound; }
};

/// Rows as they come: kept, and told of.
class GateRows {
 public:
  /// `told` may be empty and outlives this.
  explicit GateRows(const std::function<void(const GateRow&)>& told) : told_(told) {}
  void Add(GateRow row) {
    if (told_) told_(row);
    rows_.push_back(std::move(row));
  }
  std::vector<GateRow> Take() { return std::move(rows_); }

 private:
  const std::function<void(const GateRow&)>& told_;
  std::vector<GateRow> rows_;
};

/// A computation a file in configs/results names by its "type".
class ResultComputation : public Configurable {
 public:
  /// Deterministic. `told` gets each row as soon as it is there; it may be empty.
  virtual std::vector<GateRow> Run(const std::function<void(const GateRow&)>& told) const = 0;
};

using ResultRegistry = Registry<ResultComputation>;

/// Every computation of the library, one line each.
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
