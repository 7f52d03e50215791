// What is kept beside an imported run: how its file was written.
#pragma once

#include <string>

#include "ssm/interop/published_model.h"

namespace ssm {

struct PublishedNote {
  std::string family;      // "mamba"
  std::string sha256;      // of the file that was imported
  int64_t context = 0;     // of its foreign config; 0: not said
  PublishedNames tensors;  // names and dtypes
};

std::string PublishedNoteText(const PublishedNote& note);
/// @throws Error(kBadData), Error(kMissingInput).
PublishedNote ReadPublishedNote(const std::string& path);

}  // namespace ssm
