// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corbel/base/bytes.hpp"
#include "corbel/base/export.hpp"
#include "corbel/base/function_ref.hpp"
#include "corbel/base/result.hpp"
#include "corbel/cdr/encoder.hpp"

namespace corbel::cdr {

/// The octets of an encapsulation (CORBA 3.3 part 2, 9.3.3): the byte order octet, then what `write` writes. Fails with
/// what made the encoder fail. Read it back with Decoder::get_encapsulation() or from_encapsulation().
CORBEL_API base::Result<base::Bytes> encapsulate(base::FunctionRef<void(Encoder&)> write, Format format = {});

}  // namespace corbel::cdr
