// Linked into every test program built with ThreadSanitizer.
//
// Boost.Lockfree's queue and stack read nodes that another thread may be recycling and find out by
// a tagged compare-and-swap that what they read is stale. ThreadSanitizer can't know that such a
// read is thrown away. What the queues hand over stays checked: it is reached outside of these
// functions.
extern "C" const char* __tsan_default_suppressions() {  // NOLINT: the sanitizer's name
  return "race:^boost::lockfree::\n";
}
