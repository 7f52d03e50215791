#include "ssm/cli/task_export.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "ssm/base/errors.h"
#include "ssm/base/files.h"
#include "ssm/io/npy.h"
#include "ssm/tasks/batch.h"

namespace ssm {
namespace {

using Json = nlohmann::ordered_json;

const char* ObjectiveName(Objective objective) {
  switch (objective) {
    case Objective::kSquaredError:
      return "squared_error";
    case Objective::kBinaryCrossEntropy:
      return "binary_cross_entropy";
    case Objective::kSoftmaxCrossEntropy:
      return "softmax_cross_entropy";
  }
  return "";
}

Json SpecJson(const TaskSpec& spec) {
  Json json = {{"reals", spec.reals},         {"tokens", Json::array()},
               {"outputs", spec.outputs},     {"objective", ObjectiveName(spec.objective)},
               {"references", Json::array()}, {"strata", Json::array()},
               {"latents", Json::array()}};
  for (const TokenField& field : spec.tokens) {
    json["tokens"].push_back({{"name", field.name}, {"vocabulary", field.vocabulary}});
  }
  for (const Reference& reference : spec.references) json["references"].push_back(reference.name);
  for (const StratumAxis& axis : spec.strata) {
    json["strata"].push_back({{"name", axis.name}, {"labels", axis.labels}});
  }
  for (const Latent& latent : spec.latents) {
    json["latents"].push_back(
        {{"name", latent.name}, {"size", latent.size}, {"categories", latent.categories}});
  }
  return json;
}

template <class E>
void WritePart(const std::string& folder, const char* name, const Array<E>& array, Json& files) {
  if (array.size() == 0) return;
  WriteNpy(JoinPath(folder, std::string(name) + ".npy"), array.Clone());
  files.push_back(std::string(name) + ".npy");
}

}  // namespace

void RequireFreshFolder(const std::string& folder) {
  if (!Exists(folder)) return;
  if (!IsDirectory(folder)) {
    throw Error(ExitCode::kCannotCreate,
                fmt::format("{}: it is a file; name a folder that is new or empty", folder));
  }
  if (!ListDirectory(folder).empty()) {
    throw Error(
        ExitCode::kCannotCreate,
        fmt::format("{}: it holds files already; name a folder that is new or empty", folder));
  }
}

void ExportTask(const Task& task, uint64_t seed, const CellKey& key, Workers& workers,
                const std::string& folder, const std::string& summary) {
  RequireFreshFolder(folder);
  MakeDirectories(folder);
  BatchReader reader(task, workers);
  const StreamOptions streams{
      .steps = key.length, .dt_scale = key.dt_scale, .detail = Detail::kLatents};
  reader.Open(seed, key.split, 0, key.examples, streams);
  TaskPiece piece;
  SSM_CHECK(reader.Next(key.length, &piece), "a split that has sequences gave none");
  Json spec = Json::parse(summary);
  Json files = Json::array();
  WritePart(folder, "reals", piece.reals, files);
  WritePart(folder, "tokens", piece.tokens, files);
  WritePart(folder, "dt", piece.dt, files);
  WritePart(folder, "start", piece.start, files);
  WritePart(folder, "lengths", piece.lengths, files);
  WritePart(folder, "targets", piece.targets, files);
  WritePart(folder, "weights", piece.weights, files);
  WritePart(folder, "references", piece.references, files);
  WritePart(folder, "strata", piece.strata, files);
  WritePart(folder, "lags", piece.lags, files);
  WritePart(folder, "latents", piece.latents, files);
  spec["files"] = files;
  spec["spec"] = SpecJson(reader.spec());
  AtomicWriteFile(JoinPath(folder, "spec.json"), spec.dump(2) + "\n");
}

}  // namespace ssm
