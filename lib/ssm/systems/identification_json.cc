#include <nlohmann/json.hpp>

#include "ssm/systems/identification.h"

namespace ssm {
namespace {

using Json = nlohmann::ordered_json;

Json RowsOf(const Matrix& matrix) {
  Json rows = Json::array();
  for (int64_t i = 0; i < matrix.rows; ++i) {
    Json row = Json::array();
    for (int64_t j = 0; j < matrix.cols; ++j) row.push_back(matrix(i, j));
    rows.push_back(std::move(row));
  }
  return rows;
}

Json ModelJson(const InnovationsModel& model) {
  return {{"A", RowsOf(model.system.A)},
          {"B", RowsOf(model.system.B)},
          {"C", RowsOf(model.system.C)},
          {"D", RowsOf(model.system.D)},
          {"K", RowsOf(model.K)},
          {"noise", RowsOf(model.noise)},
          {"x0", model.x0},
          {"input_offset", model.input_offset},
          {"output_offset", model.output_offset}};
}

Json RefinementJson(const Identification& identification) {
  if (!identification.refinement) return nullptr;
  const PredictionErrorResult& refinement = *identification.refinement;
  return {{"start", NameOf(*identification.start)},
          {"steps", refinement.steps},
          {"converged", refinement.converged},
          {"loss_before", refinement.loss_before},
          {"loss_after", refinement.loss_after}};
}

}  // namespace

std::string IdentificationJson(const Identification& identification,
                               const std::vector<NamedFit>& fits) {
  Json poles = Json::array(), scores = Json::array();
  for (const std::complex<double> pole : identification.poles) {
    poles.push_back(Json::array({pole.real(), pole.imag()}));
  }
  for (const NamedFit& one : fits) {
    scores.push_back({{"record", one.record},
                      {"horizon", one.horizon},
                      {"warm_up", one.fit.warm_up},
                      {"percent", one.fit.percent},
                      {"rms", one.fit.rms}});
  }
  const Excitation& excitation = identification.excitation;
  const Json report = {{"schema", "ssmctl.identify/1"},
                       {"method", NameOf(identification.method)},
                       {"samples", identification.samples},
                       {"order", identification.order},
                       {"block_rows", identification.block_rows},
                       {"singular_values", identification.singular_values},
                       {"excitation",
                        {{"order", excitation.order},
                         {"asked", excitation.asked},
                         {"condition", excitation.condition}}},
                       {"poles", std::move(poles)},
                       {"stable", identification.stable},
                       {"model", ModelJson(identification.model)},
                       {"refinement", RefinementJson(identification)},
                       {"fits", std::move(scores)}};
  return report.dump(2) + "\n";
}

}  // namespace ssm
