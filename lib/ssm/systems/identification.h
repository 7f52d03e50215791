// From a record to a linear system by a named method, and what there is to say of it.
#pragma once

#include <complex>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ssm/systems/fit.h"
#include "ssm/systems/prediction_error.h"
#include "ssm/systems/subspace_identification.h"

namespace ssm {

enum class IdentificationMethod { kN4sid, kMoesp, kCva, kPem };

/// "n4sid", "moesp", "cva", "pem".
std::string_view NameOf(IdentificationMethod method);
/// Nothing for a name that is none of them.
std::optional<IdentificationMethod> IdentificationMethodOf(std::string_view name);

struct IdentificationOptions {
  IdentificationMethod method = IdentificationMethod::kPem;
  int64_t order = 0;  // 0: by the largest gap between singular values
  int64_t most_order = 10;
  int64_t block_rows = 0;  // 0: by the record
  Offsets offsets = Offsets::kMean;
  PredictionErrorOptions refinement;  // of pem
};

struct Identification {
  IdentificationMethod method = IdentificationMethod::kPem;
  InnovationsModel model;
  std::vector<double> singular_values;
  int64_t order = 0, block_rows = 0, samples = 0;
  Excitation excitation;
  std::vector<std::complex<double>> poles;  // of A, by falling modulus
  bool stable = false;                      // every pole inside the unit circle
  /// Of pem: which subspace model it started from and how it went; its `model` is left empty.
  std::optional<IdentificationMethod> start;
  std::optional<PredictionErrorResult> refinement;
};

/// A subspace method alone; or pem: the order by MOESP's singular values, the start whichever of
/// the three subspace models predicts one step best, then RefineByPredictionError.
/// @throws Error(kBadData) as IdentifySubspace and RefineByPredictionError.
Identification Identify(const InputOutputRecord& record, const IdentificationOptions& options = {});

/// A fit and what it is of.
struct NamedFit {
  std::string record;   // "identification", "held out"
  int64_t horizon = 0;  // 0: simulation
  Fit fit;
};

/// One JSON object, keys in a fixed order: schema, method, samples, order, block_rows,
/// singular_values, excitation, poles as [real, imaginary], stable, model (A, B, C, D in control's
/// convention, K, noise, x0, offsets), refinement or null, fits.
std::string IdentificationJson(const Identification& identification,
                               const std::vector<NamedFit>& fits);

}  // namespace ssm
