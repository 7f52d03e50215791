// What one reading of a config gathers. Internal to this layer.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ssm/config/config_file.h"
#include "ssm/config/fault_list.h"
#include "ssm/config/json_value.h"

namespace ssm {

/// A key no field has. Its sentence is made when everything was read: the key may exist elsewhere.
struct UnknownKey {
  JsonPlace place;
  std::string pointer;  // of the key
  std::string key, value;
  std::vector<std::string> allowed;  // keys of its object
  std::vector<std::string> types;    // other types of the object that have the key
};

/// Where in the whole config a value stands, and where in which file.
struct Where {
  std::string pointer;
  JsonPlace place;
};

class ReadContext {
 public:
  ReadContext(FaultList& faults, std::vector<DroppedKey>& dropped)
      : faults_(faults), dropped_(dropped) {}

  void Fault(const Where& where, const std::string& sentence);
  void Unknown(UnknownKey unknown);
  void Dropped(const Where& where);
  /// Grows with every fault and everything left unread: an object read without growth is whole.
  size_t troubles() const { return faults_met_ + left_unread; }

  /// Whether a tagged field may stay without a type: in a block whose layers each choose one.
  bool types_optional = false;
  size_t left_unread = 0;  // how many did

  /// From here on, values that were found wrong before are not reported again: the layers of a
  /// stack are about to read what its block has read. Returns what to give to Unmute.
  std::set<JsonPlace> MuteKnown();
  void Unmute(std::set<JsonPlace> before) { muted_ = std::move(before); }

  /// Adds the faults of unknown keys; `root` says where else a key exists.
  void ReportUnknown(Configurable& root);

 private:
  FaultList& faults_;
  std::vector<DroppedKey>& dropped_;
  std::vector<UnknownKey> unknown_;
  std::set<JsonPlace> muted_;
  size_t faults_met_ = 0;
};

}  // namespace ssm
