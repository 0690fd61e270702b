-- SPDX-License-Identifier: Apache-2.0
-- CDR values by the types of IDL (CORBA 3.3 part 2, 9.3). A value becomes a node: name, text, where it lies (at, size) and
-- its parts. What does not fit raises a table with the reason, which the caller of `decode` catches.
local max_depth, max_steps, max_parts = 80, 200000, 200

local types = {}  -- by repository id; corbel_idl.add fills it

local Stream = {}
Stream.__index = Stream

local function stop(why)
  error({ why = why }, 0)
end

-- Reads `tvb` from `at` up to `limit`; alignment counts from `origin`.
local function new_stream(tvb, origin, at, limit, little)
  return setmetatable({ tvb = tvb, origin = origin, at = at, limit = limit, little = little, steps = 0, depth = 0, level = 0,
    codes = {}, values = {} }, Stream)
end

function Stream:align(size)
  local beyond = (self.at - self.origin) % size
  if beyond > 0 then self.at = self.at + size - beyond end
end

-- Octets whatever chunks there are; nil for none.
function Stream:raw(size, alignment)
  self:align(alignment)
  local at = self.at
  if size > self.limit - at then stop("it ends before the value does") end
  self.at = at + size
  return size > 0 and self.tvb(at, size) or nil, at
end

function Stream:raw_ulong()
  local range, at = self:raw(4, 4)
  return self.little and range:le_uint() or range:uint(), at
end

-- Octets of a value's state: at the end of a chunk the next one begins.
function Stream:take(size, alignment)
  if self.chunk_end and self.at >= self.chunk_end then
    local length = self:raw_ulong()
    if length == 0 or length >= 0x7fffff00 then stop("a chunk was expected") end
    self.chunk_end = self.at + length
  end
  return self:raw(size, alignment)
end

function Stream:uint(size)
  local range, at = self:take(size, size)
  return self.little and range:le_uint() or range:uint(), at
end

-- How many elements follow; none of them is shorter than an octet.
function Stream:count()
  local count, at = self:uint(4)
  if count > self.limit - self.at then stop("a count of " .. count .. " goes beyond the message") end
  return count, at
end

function Stream:string()
  local length, at = self:count()
  if length == 0 then return "", at end
  local range = self:take(length, 1)
  return length == 1 and "" or range(0, length - 1):string(ENC_UTF_8), at
end

-- A stream over an encapsulation, and where it ends. What indirections may point to is shared.
function Stream:encapsulation()
  local size = self:count()
  local range, at = self:take(size, 1)
  if range == nil then stop("an encapsulation without octets") end
  local inner = new_stream(self.tvb, at, at + 1, at + size, self.tvb(at, 1):uint() == 1)
  inner.codes, inner.steps, inner.depth = self.codes, self.steps, self.depth
  return inner
end

local function hex(range)
  local length = range and range:len() or 0
  if length == 0 then return "no octets" end
  local shown = tostring(range(0, math.min(length, 24)):bytes()):lower()
  return shown .. (length > 24 and "..." or "") .. " (" .. length .. (length == 1 and " octet)" or " octets)")
end

local function quoted(text)
  return '"' .. text:gsub('[%c"\\]', function(c) return string.format("\\x%02x", c:byte()) end) .. '"'
end

local function number(method)
  local little_method = "le_" .. method
  return function(range, little)
    local value = range[little and little_method or method](range)
    -- Lua 5.4, which newer Wiresharks have, would write 3.0 for 3.
    return method == "float" and string.format("%.14g", value) or tostring(value)
  end
end

-- Size and text of what needs nothing but its kind.
local primitives = {
  ["boolean"] = { 1, function(range)
    local value = range:uint()
    if value > 1 then stop("a boolean is " .. value) end
    return value == 1 and "TRUE" or "FALSE"
  end },
  ["char"] = { 1, function(range)
    local octet = range:uint()
    return octet >= 32 and octet < 127 and "'" .. string.char(octet) .. "'" or string.format("'\\x%02x'", octet)
  end },
  ["octet"] = { 1, number("uint") },
  ["uint8"] = { 1, number("uint") },
  ["int8"] = { 1, number("int") },
  ["short"] = { 2, number("int") },
  ["unsigned short"] = { 2, number("uint") },
  ["long"] = { 4, number("int") },
  ["unsigned long"] = { 4, number("uint") },
  ["long long"] = { 8, number("int64") },
  ["unsigned long long"] = { 8, number("uint64") },
  ["float"] = { 4, number("float") },
  ["double"] = { 8, number("float") },
  ["long double"] = { 16, hex, 8 },
}

local decode  -- (stream, type, name): a node

local function leaf(name, text, stream, at)
  return { name = name, text = text, at = at, size = stream.at - at }
end

local function parts(name, text, stream, at, list)
  return { name = name, text = text, at = list[1] and list[1].at or at, size = stream.at - (list[1] and list[1].at or at), parts = list }
end

local others = {}  -- kinds that are no primitives, by their names: (stream, type, name)

function others.void(stream, _, name)
  return leaf(name, "nothing", stream, stream.at)
end

function others.string(stream, _, name)
  local text, at = stream:string()
  return leaf(name, quoted(text), stream, at)
end

local function utf16(stream, size)
  if size == 0 then return "" end
  local range, little = stream:take(size, 1), false
  if size >= 2 then
    local mark = range(0, 2):uint()
    if mark == 0xfeff or mark == 0xfffe then
      little = mark == 0xfffe
      if size == 2 then return "" end
      range = range(2, size - 2)
    end
  end
  return little and range:le_ustring() or range:ustring()
end

-- UTF-16, which is what ORBs send; GIOP 1.1 counts characters and a terminator, 1.2 octets.
function others.wstring(stream, _, name)
  local length, at = stream:count()
  local text
  if stream.minor >= 2 then
    text = utf16(stream, length)
  else
    local range = stream:take(2 * length, 2)
    text = length < 2 and "" or stream.little and range(0, 2 * length - 2):le_ustring() or range(0, 2 * length - 2):ustring()
  end
  return leaf(name, quoted(text), stream, at)
end

function others.wchar(stream, _, name)
  if stream.minor < 2 then
    local range, at = stream:take(2, 2)
    return leaf(name, "'" .. (stream.little and range:le_ustring() or range:ustring()) .. "'", stream, at)
  end
  local size, at = stream:uint(1)
  return leaf(name, "'" .. utf16(stream, size) .. "'", stream, at)
end

function others.fixed(stream, type, name)
  local size = math.floor((type.digits + 2) / 2)
  local range, at = stream:take(size, 1)
  local digits = tostring(range:bytes()):lower()
  local sign = digits:sub(-1)
  digits = digits:sub(1, -2)
  if not digits:match("^%d+$") or (sign ~= "c" and sign ~= "d") then stop("no fixed-point number") end
  local scale = math.max(type.scale, 0)
  local whole, decimals = digits:sub(1, #digits - scale):gsub("^0+(%d)", "%1"), digits:sub(#digits - scale + 1)
  return leaf(name, (sign == "d" and "-" or "") .. whole .. (scale > 0 and "." .. decimals or ""), stream, at)
end

function others.enum(stream, type, name)
  local ordinal, at = stream:uint(4)
  local label = type.labels[ordinal + 1]
  if not label then stop(ordinal .. " is no " .. type.name) end
  return leaf(name, label, stream, at)
end

local function decode_members(stream, type, list)
  if type.base then
    local base = types[type.base] or stop("the type " .. type.base .. " is not known")
    stream.depth = stream.depth + 1
    if stream.depth > max_depth then stop("nested too deeply") end
    decode_members(stream, base, list)
    stream.depth = stream.depth - 1
  end
  for _, member in ipairs(type.members) do
    if member.optional and stream:take(1, 1):uint() == 0 then
      list[#list + 1] = leaf(member[1], "not there", stream, stream.at - 1)
    else
      list[#list + 1] = decode(stream, member[2], member[1])
    end
  end
end

function others.struct(stream, type, name)
  local at, list = stream.at, {}
  decode_members(stream, type, list)
  return parts(name, type.name, stream, at, list)
end
others.exception = others.struct

function others.union(stream, type, name)
  local at = stream.at
  local label = decode(stream, type.discriminator, "discriminator")
  local list = { label }
  local chosen = type.cases[label.text] or type.default
  if chosen then list[2] = decode(stream, chosen[2], chosen[1]) end
  return parts(name, type.name, stream, at, list)
end

local function decode_elements(stream, element, count, name, at)
  local kind = type(element) == "string" and primitives[element]
  if kind and kind[1] == 1 and element ~= "boolean" then
    local range, begin = stream:take(count, 1)
    if element == "char" and range then return leaf(name, quoted(range:string()), stream, at or begin) end
    return leaf(name, hex(range), stream, at or begin)
  end
  local list = {}
  for i = 1, count do
    local one = decode(stream, element, "[" .. i - 1 .. "]")
    if i <= max_parts then list[i] = one end
  end
  local text = count .. (count == 1 and " element" or " elements") .. (count > max_parts and ", the first " .. max_parts .. " are shown" or "")
  local node = parts(name, text, stream, at or stream.at, list)
  if at then node.at, node.size = at, stream.at - at end
  return node
end

function others.sequence(stream, type, name)
  local count, at = stream:count()
  return decode_elements(stream, type.element, count, name, at)
end

-- A map travels as a sequence of keys and values.
function others.map(stream, type, name)
  local count, at = stream:count()
  local entry = { kind = "struct", name = "entry", members = { { "key", type.key }, { "value", type.element } } }
  return decode_elements(stream, entry, count, name, at)
end

local function decode_array(stream, type, dimension, name)
  if dimension == #type.dimensions then return decode_elements(stream, type.element, type.dimensions[dimension], name) end
  local at, list = stream.at, {}
  for i = 1, type.dimensions[dimension] do
    local one = decode_array(stream, type, dimension + 1, "[" .. i - 1 .. "]")
    if i <= max_parts then list[i] = one end
  end
  return parts(name, type.dimensions[dimension] .. " rows", stream, at, list)
end
function others.array(stream, type, name)
  return decode_array(stream, type, 1, name)
end

function others.alias(stream, type, name)
  return decode(stream, type.type, name)
end

-- Bitmasks and bitsets travel as the integer that holds them.
function others.bits(stream, type, name)
  local range, at = stream:take(type.size, type.size)
  local bits = stream.little and range:le_uint64() or range:uint64()
  local words = {}
  for _, field in ipairs(type.fields) do
    local part = bits:rshift(field[2])
    if field[4] then -- up to the top, and down again with the sign
      part = Int64(bits:lshift(64 - field[2] - field[3])):arshift(64 - field[3])
    elseif field[3] < 64 then
      part = part:band(UInt64(1):lshift(field[3]) - UInt64(1))
    end
    if not type.flags then
      words[#words + 1] = field[1] .. "=" .. tostring(part)
    elseif part ~= UInt64(0) then
      words[#words + 1] = field[1]
    end
  end
  return leaf(name, #words > 0 and table.concat(words, type.flags and "|" or " ") or "none", stream, at)
end

function decode(stream, type_of, name)
  stream.depth, stream.steps = stream.depth + 1, stream.steps + 1
  if stream.depth > max_depth then stop("nested too deeply") end
  if stream.steps > max_steps then stop("more values than are looked at") end
  local node
  local primitive = type(type_of) == "string" and primitives[type_of]
  if primitive then
    local range, at = stream:take(primitive[1], primitive[3] or primitive[1])
    node = leaf(name, primitive[2](range, stream.little), stream, at)
  elseif others[type_of] then
    node = others[type_of](stream, type_of, name)
  else
    local known = type(type_of) == "table" and type_of or types[type_of] or stop("the type " .. tostring(type_of) .. " is not known")
    node = (others[known.kind] or stop(known.kind .. " does not travel"))(stream, known, name)
  end
  stream.depth = stream.depth - 1
  return node
end
