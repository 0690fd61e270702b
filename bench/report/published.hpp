// SPDX-License-Identifier: Apache-2.0
// Values published from 1995 to 2001, as data: what our figures are set beside.
#pragma once

#include <array>
#include <string>
#include <vector>

namespace bench {

/// Tables 1, 2 and 4 of NAS-96-006.
struct PublishedParameters {
  const char* mechanism;
  const char* network;
  double r_max;  ///< Mbit/s
  double low;    ///< of the 90 % interval
  double high;
  double r_squared;
  double n_half;  ///< octets
  double t_0;     ///< microseconds
};
inline constexpr PublishedParameters kNasaParameters[] = {
    {"C sockets", "Ethernet", 8.3, 8.3, 8.3, 1.000, 14, 550},
    {"C sockets", "FDDI", 89.4, 88.5, 90.4, 1.000, 740, 561},
    {"C sockets", "HiPPI", 716.5, 710.2, 722.8, 1.000, 9826, 593},
    {"C sockets", "ATM", 70.0, 69.6, 70.4, 1.000, 364, 360},
    {"Orbix", "Ethernet", 6.3, 6.3, 6.3, 1.000, 206, 1621},
    {"Orbix", "FDDI", 77.3, 73.3, 81.8, 0.996, 5763, 1628},
    {"Orbix", "HiPPI", 130.3, 119.3, 143.5, 0.993, 7811, 1672},
    {"Orbix", "ATM", 54.4, 50.6, 58.7, 0.993, 3670, 1166},
    {"PVM", "Ethernet", 8.4, 8.4, 8.4, 1.000, 544, 830},
    {"PVM", "FDDI", 70.0, 66.5, 74.0, 0.997, 12098, 942},
    {"PVM", "HiPPI", 102.7, 94.0, 113.1, 0.990, 9278, 854},
    {"PVM", "ATM", 26.8, 25.6, 28.2, 0.987, 1419, 602},
};

/// Table 3 of NAS-96-006: Orbix, messages of 16 KiB, Mbit/s.
struct PublishedTypes {
  const char* network;
  double bulk_char;
  double bulk_struct;
  double trip_char;
  double trip_struct;
};
inline constexpr PublishedTypes kNasaTypes[] = {
    {"Ethernet", 6.7, 5.4, 7.4, 4.4},
    {"FDDI", 84.4, 15.6, 41.1, 9.5},
    {"HiPPI", 84.0, 14.3, 65.7, 11.0},
    {"ATM", 60.0, 18.0, 39.6, 11.5},
};

/// Tables 1 and 2 of 1995: untyped octets, Mbit/s.
inline constexpr std::array<int, 9> kTtcpSizes = {1, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072};
struct PublishedStream {
  const char* mechanism;
  const char* queue;  ///< of the sockets
  std::array<double, 9> ethernet;
  std::array<double, 5> atm;  ///< from 8 KiB on; the scans that are at hand have no more
};
inline constexpr PublishedStream kTtcp1995[] = {
    {"C sockets",
     "64 KiB",
     {0.12, 8.30, 8.46, 8.67, 8.78, 8.66, 8.67, 8.68, 8.71},
     {61.77, 58.10, 56.13, 48.91, 48.60}},
    {"wrappers", "64 KiB", {0.12, 8.22, 8.34, 8.74, 8.72, 8.61, 8.65, 8.68, 8.70}, {61.81, 60.41, 56.65, 47.67, 47.90}},
    {"Orbix sequence",
     "64 KiB",
     {0.01, 6.68, 8.30, 8.52, 8.51, 8.45, 8.47, 8.44, 8.38},
     {25.79, 31.65, 34.87, 39.15, 38.44}},
    {"ORBeline sequence",
     "64 KiB",
     {0.01, 8.14, 8.37, 8.63, 8.58, 8.61, 8.64, 8.79, 8.38},
     {26.13, 35.23, 36.70, 37.67, 36.72}},
    {"Orbix string",
     "64 KiB",
     {0.01, 6.42, 8.36, 8.55, 8.66, 8.59, 8.58, 8.52, 8.45},
     {23.02, 29.71, 30.98, 33.78, 32.23}},
    {"ORBeline string",
     "64 KiB",
     {0.01, 8.02, 8.44, 8.68, 8.65, 8.67, 8.70, 8.72, 8.29},
     {22.91, 28.99, 29.58, 28.66, 28.42}},
    {"C sockets", "8 KiB", {0.12, 8.10, 8.21, 8.33, 8.30, 8.22, 8.32, 8.36, 8.37}, {23.57, 23.22, 22.43, 22.63, 22.69}},
    {"wrappers", "8 KiB", {0.12, 7.97, 8.06, 8.38, 8.31, 8.28, 8.19, 8.31, 8.41}, {23.12, 23.85, 23.58, 23.63, 23.72}},
    {"Orbix sequence",
     "8 KiB",
     {0.01, 6.66, 7.80, 7.97, 8.18, 8.11, 8.20, 8.29, 8.25},
     {21.90, 22.81, 21.89, 21.01, 20.98}},
    {"ORBeline sequence",
     "8 KiB",
     {0.01, 7.28, 7.70, 7.99, 8.02, 8.21, 8.30, 8.20, 8.22},
     {21.83, 22.75, 22.45, 21.45, 21.05}},
    {"Orbix string",
     "8 KiB",
     {0.01, 6.47, 7.82, 7.85, 8.10, 8.17, 8.23, 8.34, 8.30},
     {22.11, 22.76, 21.27, 20.07, 20.00}},
    {"ORBeline string",
     "8 KiB",
     {0.01, 7.40, 7.56, 7.85, 8.00, 8.05, 8.04, 7.99, 8.01},
     {21.16, 21.93, 19.84, 18.28, 18.10}},
};

/// Table 1 of the SIGCOMM paper of 1996: greatest and least throughput in Mbit/s.
struct PublishedRange {
  const char* mechanism;
  double remote_scalar[2];
  double remote_struct[2];
  double loopback_scalar[2];
  double loopback_struct[2];
};
inline constexpr PublishedRange kSigcomm1996[] = {
    {"C and C++ sockets", {80, 25}, {80, 25}, {197, 47}, {190, 47}},
    {"Orbix", {65, 15}, {27, 11}, {123, 14}, {32, 10}},
    {"ORBeline", {61, 12}, {23, 9}, {197, 11}, {27, 7}},
    {"RPC", {30, 4}, {25, 14}, {33, 5}, {27, 18}},
    {"optimised RPC", {63, 20}, {63, 20}, {121, 38}, {116, 38}},
};

/// Tables 2 and 3 of that paper: what a function takes of 64 MiB in buffers of 128 KiB over ATM; 0: not in the table.
struct PublishedFunction {
  const char* mechanism;
  const char* type;
  const char* function;
  double milliseconds;
  double percent;
};
inline constexpr PublishedFunction kSender1996[] = {
    {"C and C++ sockets", "BinStruct", "writev", 9415, 98},
    {"RPC", "char", "write", 283350, 89},
    {"RPC", "char", "xdr_char", 17000, 5},
    {"RPC", "short", "write", 134855, 90},
    {"RPC", "long", "write", 71600, 92},
    {"RPC", "double", "write", 37877, 87},
    {"RPC", "double", "xdr_double", 2348, 5},
    {"RPC", "BinStruct", "write", 80517, 92},
    {"optimised RPC", "BinStruct", "write", 4262, 80},
    {"optimised RPC", "BinStruct", "memcpy", 896, 17},
    {"Orbix", "char", "write", 9638, 89},
    {"Orbix", "char", "memcpy", 895, 8},
    {"Orbix", "BinStruct", "write", 26366, 68},
    {"Orbix", "BinStruct", "marshalling (8 functions of 2 to 3 % each)", 7042, 17},
    {"ORBeline", "char", "writev", 20319, 99},
    {"ORBeline", "BinStruct", "writev", 82794, 84},
    {"ORBeline", "BinStruct", "operator<< of BinStruct", 3831, 4},
    {"ORBeline", "BinStruct", "memcpy", 3594, 4},
    {"ORBeline", "BinStruct", "marshalling (3 functions of 1 % each)", 2879, 3},
};
inline constexpr PublishedFunction kReceiver1996[] = {
    {"C and C++ sockets", "BinStruct", "read", 7199, 75},
    {"C and C++ sockets", "BinStruct", "readv", 2374, 24},
    {"RPC", "char", "xdr_char", 30422, 44},
    {"RPC", "char", "xdrrec_getlong", 16998, 24},
    {"RPC", "char", "xdr_array", 14317, 20},
    {"RPC", "char", "getmsg", 5977, 8},
    {"RPC", "BinStruct", "xdrrec_getlong", 4250, 26},
    {"RPC", "BinStruct", "xdr_BinStruct", 2684, 16},
    {"RPC", "BinStruct", "getmsg", 1518, 9},
    {"RPC", "BinStruct", "xdr_char, xdr_u_char, xdr_double", 3689, 21},
    {"optimised RPC", "BinStruct", "getmsg", 2229, 67},
    {"optimised RPC", "BinStruct", "memcpy", 897, 27},
    {"Orbix", "char", "read", 7915, 85},
    {"Orbix", "char", "memcpy", 896, 9},
    {"Orbix", "BinStruct", "read", 4280, 26},
    {"Orbix", "BinStruct", "unmarshalling (8 functions of 4 to 8 % each)", 6655, 38},
    {"Orbix", "BinStruct", "memcpy", 672, 4},
    {"ORBeline", "char", "read", 3041, 85},
    {"ORBeline", "BinStruct", "memcpy", 3581, 19},
    {"ORBeline", "BinStruct", "read", 3533, 18},
    {"ORBeline", "BinStruct", "operator>> of BinStruct", 3495, 18},
    {"ORBeline", "BinStruct", "unmarshalling (3 functions of 5 to 6 % each)", 3357, 15},
};

/// Demultiplexing in the SIGCOMM paper of 1996: the last of 100 operations, milliseconds for 100 calls.
struct PublishedDemux {
  const char* scheme;
  double milliseconds;
};
inline constexpr PublishedDemux kDemux1996[] = {
    {"Orbix, linear search", 6.74},
    {"Orbix, numeric index", 2.07},
    {"ORBeline, hashing", 2.63},
};

/// A client's 1,000 rounds of 100 calls in that paper, seconds; "indexed": operation names replaced by numbers.
struct PublishedCalls {
  const char* calls;
  double original;
  double indexed;
};
inline constexpr PublishedCalls kCalls1996[] = {
    {"Orbix, two-way", 263.7, 255.7},
    {"ORBeline, two-way", 212.9, 210.1},
    {"Orbix, oneway", 85.9, 76.9},
};

/// Tables 8 and 10 of that paper: what such operations gained over those as shipped, per cent of the client's time for
/// 1, 100, 500 and 1,000 rounds of 100 calls.
struct PublishedImprovement {
  const char* calls;
  std::array<double, 4> percent;
};
inline constexpr PublishedImprovement kGains1996[] = {
    {"Orbix, two-way", {6.56, 2.0, 2.38, 3.05}},
    {"ORBeline, two-way", {9.09, 1.37, 1.53, 1.32}},
    {"Orbix, oneway", {9.25, 28.52, 12.11, 10.45}},
};

/// The paper of 2001: by how many per cent IDL_Cubit was faster; 0: no mean is given.
struct PublishedGain {
  const char* what;
  double least;
  double most;
  double mean;
};
inline constexpr PublishedGain kGains2001[] = {
    {"GIOP over local IPC instead of TCP", 20, 50, 0},
    {"GIOPlite instead of GIOP, over TCP", 0.36, 4.74, 2.74},
    {"GIOPlite instead of GIOP, over local IPC", 0.37, 5.29, 3.26},
};

/// A void two-way call over TCP loopback in that paper, microseconds, and what the ORB took of it.
inline constexpr double kCall2001 = 189;
inline constexpr double kOrbOfCall2001 = 90;

/// The white-box tables of 2001: microseconds of one call by layer.
struct PublishedLayer {
  const char* layer;
  double microseconds;
};
inline constexpr PublishedLayer kClient2001[] = {
    {"client initialisation", 6.30}, {"object reference", 15.6},  {"parameter marshal", 0.74},
    {"messaging send", 7.78},        {"transport send", 1.02},    {"I/O", 8.70},
    {"transport receive", 50.7},     {"messaging receive", 9.25},
};
inline constexpr PublishedLayer kServer2001[] = {
    {"I/O", 7.0},
    {"transport receive", 24.8},
    {"messaging receive", 4.5},
    {"parse object key", 4.6},
    {"POA demux", 1.39},
    {"servant demux", 4.6},
    {"operation demux", 4.52},
    {"upcall", 3.84},
    {"messaging send", 4.56},
    {"transport send", 93.6},
};

}  // namespace bench
