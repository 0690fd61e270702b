// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <corbel/messaging/protocol.hpp>

/// Telegrams: oneway requests that name object and operation only when they are others than before. A telegram is
///
///   octet  'T'
///   octet  0: object and operation follow; 1: and later telegrams may be like this one (256 at most in a
///   conversation);
///          2: they are those of the last that was so
///   ushort of the telegrams sent, the lower half of their number
///   ulong  octets in all
///   if they follow: sequence<octet> object key, string operation
///   the arguments in CDR, at a multiple of 8
///
/// in little-endian order. It needs a carrier that loses nothing and keeps the order.
std::shared_ptr<const corbel::messaging::Protocol> make_telegrams();
