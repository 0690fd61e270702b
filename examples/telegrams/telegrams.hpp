// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <corbel/messaging/protocol.hpp>

/// Telegrams: oneway requests that name object and operation only when they are others than before. A telegram is
///
///   octet  'T'
///   octet  0: object and operation follow; 128 + n: and they are kind n, from 1 to 127, that later telegrams may be
///   of;
///          n: those of kind n, which was told before
///   ushort the lower half of the number of telegrams sent
///   ulong  octets in all
///   if they follow: sequence<octet> object key, string operation
///   the arguments in CDR, at a multiple of 8
///
/// in little-endian order. It needs a carrier that loses nothing and keeps the order.
std::shared_ptr<const corbel::messaging::Protocol> make_telegrams();
