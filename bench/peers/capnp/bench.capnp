# SPDX-License-Identifier: Apache-2.0
# What the laboratory calls, for Cap'n Proto. Streams are its "stream" calls: without a result, but with flow control.
@0xb7c1d2e3f4a59687;

struct BinStruct {
  s @0 :Int16;
  c @1 :Int8;
  l @2 :Int32;
  o @3 :UInt8;
  d @4 :Float64;
}

interface Target {
  ping @0 ();
  takeOctets @1 (data :Data) -> stream;
  takeLongs @2 (data :List(Int32)) -> stream;
  takeDoubles @3 (data :List(Float64)) -> stream;
  takeString @4 (data :Text) -> stream;
  takeStructs @5 (data :List(BinStruct)) -> stream;
  putOctets @6 (data :Data);
  taken @7 () -> (octets :UInt64);
  putLongs @8 (data :List(Int32));
  putDoubles @9 (data :List(Float64));
  putString @10 (data :Text);
  putStructs @11 (data :List(BinStruct));
  takeChars @12 (data :List(Int8)) -> stream;
  putChars @13 (data :List(Int8));
  takeShorts @14 (data :List(Int16)) -> stream;
  putShorts @15 (data :List(Int16));
  # What comes goes back.
  echoOctets @16 (data :Data) -> (data :Data);
  echoLongs @17 (data :List(Int32)) -> (data :List(Int32));
  echoDoubles @18 (data :List(Float64)) -> (data :List(Float64));
  echoString @19 (data :Text) -> (data :Text);
  echoStructs @20 (data :List(BinStruct)) -> (data :List(BinStruct));
  echoChars @21 (data :List(Int8)) -> (data :List(Int8));
  echoShorts @22 (data :List(Int16)) -> (data :List(Int16));
}
