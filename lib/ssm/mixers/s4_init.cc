#include "ssm/mixers/s4_init.h"

#include "ssm/systems/hippo_low_rank.h"

namespace ssm {
namespace {

/// In every channel, what `visit` writes for each mode of positive frequency. The eigenproblem is
/// solved when values are drawn: a layout needs none.
template <class Visit>
Init FromModes(int64_t order, Visit visit) {
  return [order, visit](std::span<double> values, Random&) {
    const DiagonalMinusLowRank form = DiagonaliseHippo({HippoMeasure::kLegS, order});
    std::vector<double> row;
    // Frequencies ascend: the second half is positive.
    for (size_t n = form.lambda.size() / 2; n < form.lambda.size(); ++n) visit(form, n, row);
    for (size_t i = 0; i < values.size(); ++i) values[i] = row[i % row.size()];
  };
}

void AddPair(std::complex<double> z, std::vector<double>& row) {
  row.push_back(z.real());
  row.push_back(z.imag());
}

}  // namespace

Init S4FrequencyInit(const S4Options& options) {
  return FromModes(options.d_state,
                   [](const DiagonalMinusLowRank& form, size_t n, std::vector<double>& row) {
                     row.push_back(form.lambda[n].imag());
                   });
}

Init S4LowRankInit(const S4Options& options) {
  return FromModes(options.d_state, [](const DiagonalMinusLowRank& form, size_t n,
                                       std::vector<double>& row) { AddPair(form.P[n], row); });
}

Init S4InputInit(const S4Options& options) {
  return FromModes(options.d_state, [](const DiagonalMinusLowRank& form, size_t n,
                                       std::vector<double>& row) { AddPair(form.B[n], row); });
}

}  // namespace ssm
