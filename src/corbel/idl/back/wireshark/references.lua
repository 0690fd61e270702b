-- SPDX-License-Identifier: Apache-2.0
-- What travels with its type: references, TypeCodes, Anys, valuetypes (CORBA 3.3 part 2, 9.3.4 to 9.3.6).

-- "10.0.0.1:4000" from the profile of IIOP, else nil.
local function address_of(stream, at, size)
  if size < 8 then return nil end
  local ok, text = pcall(function()
    local inner = new_stream(stream.tvb, at, at + 1, at + size, stream.tvb(at, 1):uint() == 1)
    inner:take(2, 1)
    local host = inner:string()
    return host .. ":" .. inner:uint(2)
  end)
  return ok and text or nil
end

local function decode_reference(stream, name)
  local id, at = stream:string()
  local profiles = {}
  for _ = 1, stream:count() do
    local tag = stream:uint(4)
    local size = stream:count()
    local _, begin = stream:take(size, 1)
    local address = tag == 0 and address_of(stream, begin, size)
    profiles[#profiles + 1] = address and "iiop " .. address or "profile " .. tag
  end
  if id == "" and #profiles == 0 then return leaf(name, "nil", stream, at) end
  return leaf(name, (id == "" and "an object" or id) .. " at " .. table.concat(profiles, ", "), stream, at)
end
others["Object"] = function(stream, _, name)
  return decode_reference(stream, name)
end
others.object = others["Object"]

local simple_codes = {
  [0] = "void", [1] = "void", [2] = "short", [3] = "long", [4] = "unsigned short", [5] = "unsigned long", [6] = "float",
  [7] = "double", [8] = "boolean", [9] = "char", [10] = "octet", [11] = "any", [12] = "TypeCode", [23] = "long long",
  [24] = "unsigned long long", [25] = "long double", [26] = "wchar",
}

local decode_code

-- The type if it is of that kind.
local function only(kind, type_of)
  return type(type_of) == "table" and type_of.kind == kind and type_of or nil
end

local function named(stream, kind)
  local id = stream:string()
  local name = stream:string()
  return { kind = kind, id = id, name = name ~= "" and name or id }
end

local function code_members(stream, type)
  type.members = {}
  for i = 1, stream:count() do
    local name = stream:string()
    type.members[i] = { name, decode_code(stream) }
  end
end

-- The parameters of kinds that have them in an encapsulation; `type` is filled in place, as it may contain itself.
local complex_codes = {
  [14] = function(stream, type) type.kind, type.name = "object", named(stream).name end,
  [15] = function(stream, type)
    type.kind, type.name = "struct", named(stream).name
    code_members(stream, type)
  end,
  [16] = function(stream, type)
    type.kind, type.name, type.cases = "union", named(stream).name, {}
    type.discriminator = decode_code(stream)
    local default = stream:uint(4)
    for i = 0, stream:count() - 1 do
      local label = decode(stream, i == default and type.discriminator or type.discriminator, "").text
      local member = { stream:string(), decode_code(stream) }
      if i == default then type.default = member else type.cases[label] = member end
    end
  end,
  [17] = function(stream, type)
    type.kind, type.name, type.labels = "enum", named(stream).name, {}
    for i = 1, stream:count() do type.labels[i] = stream:string() end
  end,
  [19] = function(stream, type) type.kind, type.element = "sequence", decode_code(stream) end,
  [20] = function(stream, type)
    type.kind, type.element = "array", decode_code(stream)
    type.dimensions = { stream:uint(4) }
  end,
  [21] = function(stream, type)
    type.kind, type.name = "alias", named(stream).name
    type.type = decode_code(stream)
  end,
  [29] = function(stream, type)
    local names = named(stream)
    type.kind, type.id, type.name, type.members = "value", names.id, names.name, {}
    type.custom = stream:uint(2) == 1
    local base = decode_code(stream)
    type.base_type = only("value", base)
    for i = 1, stream:count() do
      type.members[i] = { stream:string(), decode_code(stream) }
      stream:uint(2)
    end
  end,
  [30] = function(stream, type)
    local names = named(stream)
    type.kind, type.id, type.name = "box", names.id, names.name
    type.type = decode_code(stream)
  end,
  [31] = function(stream, type) type.kind, type.name = "native", named(stream).name end,
  [32] = function(stream, type) type.kind, type.name = "abstract", named(stream).name end,
  [33] = function(stream, type) type.kind, type.name = "local", named(stream).name end,
}
complex_codes[22] = complex_codes[15]

function decode_code(stream)
  stream.depth = stream.depth + 1
  if stream.depth > max_depth then stop("a TypeCode nested too deeply") end
  local kind, at = stream:uint(4)
  local type
  if kind == 0xffffffff then
    local back = stream:uint(4)
    type = stream.codes[at + 4 + back - 4294967296] or stop("an indirection to no TypeCode")
  elseif kind == 18 or kind == 27 then
    stream:uint(4)
    type = kind == 18 and "string" or "wstring"
  elseif kind == 28 then
    type = { kind = "fixed", digits = stream:uint(2) }
    local scale = stream:uint(2)
    type.scale = scale >= 32768 and scale - 65536 or scale
    if type.digits > 62 or type.scale > type.digits then stop("a fixed-point type of " .. type.digits .. " digits") end
  elseif simple_codes[kind] then
    type = simple_codes[kind]
  elseif complex_codes[kind] then
    type = {}
    stream.codes[at] = type
    complex_codes[kind](stream:encapsulation(), type)
  else
    stop("a TypeCode of kind " .. kind)
  end
  stream.depth = stream.depth - 1
  return type
end

local function describe(type_of)
  if type(type_of) == "string" then return type_of end
  if type_of.kind == "sequence" then return "sequence" end
  return type_of.name or type_of.kind
end

others["TypeCode"] = function(stream, _, name)
  local at = stream.at
  return leaf(name, describe(decode_code(stream)), stream, at)
end

function others.any(stream, _, name)
  local at = stream.at
  local type = decode_code(stream)
  return parts(name, "any of " .. describe(type), stream, at, { decode(stream, type, "value") })
end

-- A repository id in a value's tag, which may be an indirection to an earlier one.
local function value_id(stream)
  local length, at = stream:raw_ulong()
  if length == 0xffffffff then
    local back, from = stream:raw_ulong()
    return stream.values[from + back - 4294967296] or stop("an indirection to no repository id")
  end
  if length == 0 or length > stream.limit - stream.at then stop("a repository id of " .. length .. " octets") end
  local id = stream:raw(length, 1)(0, length - 1):string()
  stream.values[at] = id
  return id
end

local function value_ids(stream, tag)
  local information = math.floor(tag / 2) % 4
  if information == 0 then return {} end
  if information == 1 then return { value_id(stream) } end
  local count, at = stream:raw_ulong()
  if count == 0xffffffff then
    local back, from = stream:raw_ulong()
    return stream.values[from + back - 4294967296] or stop("an indirection to no list of repository ids")
  end
  if count > 100 then stop(count .. " repository ids") end
  local ids = {}
  stream.values[at] = ids
  for i = 1, count do ids[i] = value_id(stream) end
  return ids
end

local function decode_state(stream, type, list, depth)
  if depth > max_depth then stop("nested too deeply") end
  local base = type.base_type or type.base and (types[type.base] or stop("the type " .. type.base .. " is not known"))
  if base then decode_state(stream, base, list, depth + 1) end
  decode_members(stream, { members = type.members }, list)
end

local function is_value_tag(tag)
  return tag >= 0x7fffff00 and tag < 0x80000000
end

-- The tag of a value in the state of another: nulls and indirections may also stand inside a chunk.
local function value_tag(stream)
  if stream.level > 0 then
    if stream.chunk_end - stream.at >= 4 then return stream:raw_ulong() end
    stream.at = stream.chunk_end
  end
  local tag, at = stream:raw_ulong()
  if stream.level > 0 and tag ~= 0 and tag ~= 0xffffffff and not is_value_tag(tag) then
    stream.chunk_end = stream.at + tag
    return stream:raw_ulong()
  end
  return tag, at
end

-- Skips what is left of a chunked value, up to its end tag.
local function end_value(stream)
  while not stream.closed or stream.closed > stream.level do
    stream.at = math.max(stream.at, stream.chunk_end)
    local tag = stream:raw_ulong()
    if tag >= 0x80000000 then
      stream.closed = 4294967296 - tag
    elseif is_value_tag(tag) then
      if tag % 2 == 1 then value_id(stream) end
      value_ids(stream, tag)
    else
      stream:raw(tag, 1)
    end
    stream.chunk_end = stream.at
  end
  if stream.closed == stream.level then stream.closed = nil end
  stream.level = stream.level - 1
  stream.chunk_end = stream.level > 0 and stream.at or nil
  if stream.level == 0 then stream.closed = nil end
end

local function known_type(ids, formal)
  for _, id in ipairs(ids) do
    if types[id] then return types[id], id end
    if formal and formal.id == id then return formal, id end
  end
  return #ids == 0 and formal or nil, ids[1]
end

local function read_state(stream, type, list)
  if not type or type.custom then return end
  if type.kind == "box" then
    list[1] = decode(stream, type.type, "value")
  else
    decode_state(stream, type, list, 0)
  end
end

local function decode_value(stream, formal, name)
  local tag, at = value_tag(stream)
  if tag == 0 or tag == 0xffffffff then
    local text = "nil"
    if tag ~= 0 then
      local back, from = stream:raw_ulong()
      text = "the value at octet " .. from + back - 4294967296 - stream.origin
    end
    if stream.level > 0 and stream.at >= stream.chunk_end then stream.chunk_end = stream.at end
    return leaf(name, text, stream, at)
  end
  if not is_value_tag(tag) then stop(tag .. " is no tag of a value") end
  if tag % 2 == 1 then value_id(stream) end
  local type, id = known_type(value_ids(stream, tag), formal)
  local chunked = math.floor(tag / 8) % 2 == 1
  local list = {}
  if chunked then
    stream.level, stream.chunk_end = stream.level + 1, stream.at
  elseif not type or type.custom then
    stop("the valuetype " .. tostring(id) .. " is not known")
  end
  read_state(stream, type, list)
  if chunked then end_value(stream) end
  local seen = type and not type.custom and "" or ", not looked into"
  local node = parts(name, (type and type.name or id or "a value") .. seen, stream, at, list)
  node.at, node.size = at, stream.at - at
  return node
end
function others.value(stream, type, name)
  return decode_value(stream, type, name)
end
others.box = others.value
others["ValueBase"] = function(stream, _, name)
  return decode_value(stream, nil, name)
end

function others.abstract(stream, _, name)
  local is_object = stream:take(1, 1):uint() == 1
  if is_object then return decode_reference(stream, name) end
  return decode_value(stream, nil, name)
end
