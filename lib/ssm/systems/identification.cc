#include "ssm/systems/identification.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "ssm/base/errors.h"
#include "ssm/systems/pole_distance.h"

namespace ssm {
namespace {

struct MethodName {
  IdentificationMethod method;
  std::string_view name;
};
constexpr std::array<MethodName, 4> kMethods{{{IdentificationMethod::kN4sid, "n4sid"},
                                              {IdentificationMethod::kMoesp, "moesp"},
                                              {IdentificationMethod::kCva, "cva"},
                                              {IdentificationMethod::kPem, "pem"}}};

SubspaceWeighting WeightingOf(IdentificationMethod method) {
  switch (method) {
    case IdentificationMethod::kN4sid:
      return SubspaceWeighting::kN4sid;
    case IdentificationMethod::kCva:
      return SubspaceWeighting::kCva;
    case IdentificationMethod::kMoesp:
    case IdentificationMethod::kPem:
      break;
  }
  return SubspaceWeighting::kMoesp;
}

SubspaceOptions SubspaceOptionsOf(const IdentificationOptions& options,
                                  IdentificationMethod method) {
  return {WeightingOf(method), options.order, options.most_order, options.block_rows,
          options.offsets};
}

/// The sum of squared one-step errors in units of each output's spread; infinite where the
/// predictor is not stable.
double PredictionLoss(const InnovationsModel& model, const InputOutputRecord& record,
                      const RecordScaling& scaling) {
  const Matrix errors = PredictionErrors(model, record, model.x0);
  double sum = 0;
  for (int64_t k = 0; k < errors.rows; ++k) {
    for (int64_t j = 0; j < errors.cols; ++j) {
      const double error = errors(k, j) / scaling.y.scale[static_cast<size_t>(j)];
      sum += error * error;
    }
  }
  return std::isfinite(sum) ? sum : std::numeric_limits<double>::infinity();
}

/// The subspace model that predicts best; `found` is MOESP's, and becomes the best one's.
IdentificationMethod BestStart(const InputOutputRecord& record,
                               const IdentificationOptions& options, SubspaceResult& found) {
  const RecordScaling scaling = ScalingOf(record, Offsets::kMean);
  IdentificationOptions same_order = options;
  same_order.order = found.order;
  IdentificationMethod best = IdentificationMethod::kMoesp;
  double least = PredictionLoss(found.model, record, scaling);
  for (const IdentificationMethod method :
       {IdentificationMethod::kN4sid, IdentificationMethod::kCva}) {
    try {
      const SubspaceResult other = IdentifySubspace(record, SubspaceOptionsOf(same_order, method));
      const double loss = PredictionLoss(other.model, record, scaling);
      if (!(loss < least)) continue;
      least = loss;
      best = method;
      found.model = other.model;
    } catch (const Error&) {
      // One start fewer: MOESP's is there.
    }
  }
  return best;
}

}  // namespace

std::string_view NameOf(IdentificationMethod method) {
  return std::find_if(kMethods.begin(), kMethods.end(),
                      [method](const MethodName& one) { return one.method == method; })
      ->name;
}

std::optional<IdentificationMethod> IdentificationMethodOf(std::string_view name) {
  for (const MethodName& one : kMethods) {
    if (one.name == name) return one.method;
  }
  return std::nullopt;
}

Identification Identify(const InputOutputRecord& record, const IdentificationOptions& options) {
  SubspaceResult found = IdentifySubspace(record, SubspaceOptionsOf(options, options.method));
  Identification result;
  result.method = options.method;
  result.singular_values = found.singular_values;
  result.order = found.order;
  result.block_rows = found.block_rows;
  result.samples = record.samples();
  result.excitation = found.excitation;
  if (options.method == IdentificationMethod::kPem) {
    result.start = BestStart(record, options, found);
    result.refinement = RefineByPredictionError(record, found.model, options.refinement);
    found.model = std::move(result.refinement->model);
    result.refinement->model = {};
  }
  result.model = std::move(found.model);
  result.poles = PolesOf(result.model.system.A);
  result.stable = std::all_of(result.poles.begin(), result.poles.end(),
                              [](std::complex<double> pole) { return std::abs(pole) < 1; });
  return result;
}

}  // namespace ssm
