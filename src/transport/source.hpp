#pragma once

namespace weir::transport {

// Something that brings events to one thread.
class Source {
 public:
  Source() = default;
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;
  virtual ~Source() = default;

  // Handles what is there; whether there was something. Ends what arm() began.
  virtual bool poll() = 0;
  // Readable when there is something, once armed. The same for life.
  virtual int descriptor() const = 0;
  // Before sleeping: false when something came in between.
  virtual bool arm() = 0;
  // Whether an answer is under way that will come soon.
  virtual bool expects_more() const { return false; }
  // The loop waited without sleeping, and others had its core meanwhile; `often`: so they had in the waits
  // before. Whether it had better sleep, in that case.
  virtual bool lost_core(bool /*often*/) { return true; }
};

}  // namespace weir::transport
