// A libcuda.so.1 that has none of the driver's calls.
extern "C" int nothing_of_a_driver() { return 0; }
