// A published language model in a file: read into a model of this library, and back.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "ssm/interop/published_family.h"
#include "ssm/io/safetensors.h"
#include "ssm/models/model_options.h"
#include "ssm/nn/parameters.h"

namespace ssm {

/// The token field of an imported model.
inline constexpr std::string_view kPublishedField = "id";

/// What the tensors of a file tell.
struct PublishedModel {
  const PublishedFamily* family = nullptr;
  Sizes sizes;
  int64_t layers = 0;
  bool tied = false;  // the table of tokens is the head
};

/// Names in the file and their dtypes, kept beside a run so that export writes the same bytes.
using PublishedNames = std::map<std::string, DType>;

/// Sizes from the tensors. A head that is absent, or a copy of the table, is tied. Names of aliases
/// in `file` are replaced by the published ones; `names` receives what stood there.
/// @throws Error(kBadData) listing every missing, unknown and misshapen tensor, and those that hold
/// no floats.
PublishedModel ReadPublished(const PublishedFamily& family, const std::string& path,
                             TensorFile& file, PublishedNames& names);

/// A line for each fault, indented, of the first dozen, and how many more there are.
std::string ListedFaults(const std::vector<std::string>& faults);

/// The model's part of an experiment, as JSON.
std::string ModelJson(const PublishedModel& model);
/// The same with a number of blocks that need not make whole layers.
std::string ModelJson(const PublishedModel& model, int64_t blocks);

/// Copies every tensor into the parameter that it is.
template <Scalar T>
void TakeValues(const PublishedModel& model, const TensorFile& file, Parameters<T>& into);

/// The family, sizes and depth of a model of this library. @throws Error(kBadConfig) when it is of
/// no published family, with all that differs at once (other inputs, mixers and options, or further
/// parameters) and with options that fit.
PublishedModel PublishedOf(const MixerRegistry& mixers, ModelOptions& options, const ModelIo& io,
                           const ParameterStore& store, const std::string& name);

/// The tensors under their published names and shapes; those `names` knows under the name and in
/// the dtype that was met (rounded to nearest even where it is narrower), others in T's.
template <Scalar T>
TensorFile PublishedTensors(const PublishedModel& model, const Parameters<T>& parameters,
                            const PublishedNames& names, std::string_view token_field);

}  // namespace ssm
