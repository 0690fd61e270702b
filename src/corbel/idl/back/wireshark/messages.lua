-- SPDX-License-Identifier: Apache-2.0
-- GIOP messages (CORBA 3.3 part 2, 9.4) that Wireshark's own dissector has found, and below them what their bodies say.
local proto = Proto("corbel_idl", "Values of IDL types")
local fields = {
  operation = ProtoField.string("corbel_idl.operation", "Operation"),
  interface = ProtoField.string("corbel_idl.interface", "Interface"),
  exception = ProtoField.string("corbel_idl.exception", "Exception"),
  value = ProtoField.string("corbel_idl.value", "Value"),
}
proto.fields = { fields.operation, fields.interface, fields.exception, fields.value }
local problem = ProtoExpert.new("corbel_idl.problem", "The body does not fit the IDL", expert.group.MALFORMED, expert.severity.WARN)
proto.experts = { problem }

local found_magic = Field.new("giop.magic")
local found_stream = Field.new("tcp.stream")

local operations = {}  -- by name: list of { interface = name, result, parameters, raises }
local requests = {}    -- by conversation, direction and request id: what was asked for last
local answered = {}    -- by frame and place of a reply: the request it belongs to
local fragments = {}   -- messages whose rest is to come
local joined = {}      -- by frame and place of a last fragment: the whole message
local max_joined = 16 * 1024 * 1024

local implied = {
  _is_a = { result = "boolean", parameters = { { "in", "logical_type_id", "string" } }, raises = {} },
  _non_existent = { result = "boolean", parameters = {}, raises = {} },
  _not_existent = { result = "boolean", parameters = {}, raises = {} },
  _repository_id = { result = "string", parameters = {}, raises = {} },
  _interface = { result = "Object", parameters = {}, raises = {} },
  _component = { result = "Object", parameters = {}, raises = {} },
}
for name, operation in pairs(implied) do
  operation.interface = "CORBA::Object"
  operations[name] = { operation }
end

local function skip_contexts(stream)
  for _ = 1, stream:count() do
    stream:uint(4)
    stream:take(stream:count(), 1)
  end
end

local function skip_target(stream)
  local disposition = stream:uint(2)
  if disposition == 0 then
    stream:take(stream:count(), 1)
  elseif disposition == 1 then
    stream:uint(4)
    stream:take(stream:count(), 1)
  elseif disposition == 2 then
    stream:uint(4)
    decode_reference(stream, "")
  else
    stop("a target of kind " .. disposition)
  end
end

local function read_request(stream)
  local header = {}
  if stream.minor >= 2 then
    header.id = stream:uint(4)
    stream:take(4, 1)
    skip_target(stream)
    header.operation = stream:string()
    skip_contexts(stream)
    if stream.at < stream.limit then stream:align(8) end
  else
    skip_contexts(stream)
    header.id = stream:uint(4)
    stream:take(stream.minor == 1 and 4 or 1, 1)
    stream:take(stream:count(), 1)
    header.operation = stream:string()
    stream:take(stream:count(), 1)
  end
  return header
end

local function read_reply(stream)
  local header = {}
  if stream.minor < 2 then skip_contexts(stream) end
  header.id = stream:uint(4)
  header.status = stream:uint(4)
  if stream.minor >= 2 then
    skip_contexts(stream)
    if stream.at < stream.limit then stream:align(8) end
  end
  return header
end

-- Tries `read` on a copy of the stream: a list of nodes, and what was wrong.
local function attempt(stream, read)
  local copy = new_stream(stream.tvb, stream.origin, stream.at, stream.limit, stream.little)
  copy.minor = stream.minor
  local list = {}
  local ok, failure = pcall(read, copy, list)
  local why
  if not ok then
    why = type(failure) == "table" and failure.why or tostring(failure)
  elseif copy.at < copy.limit then
    why = copy.limit - copy.at .. " octets are left over"
  end
  return list, why, copy.at
end

-- Of the operations, those that fit best; and what was read for the first of them.
local function best_of(candidates, stream, read)
  local chosen, list, why, furthest = {}, nil, nil, -1
  for _, operation in ipairs(candidates) do
    local nodes, problem_here, at = attempt(stream, function(copy, into) read(copy, into, operation) end)
    if not problem_here then
      if why or not list then chosen, list, why = {}, nodes, nil end
      chosen[#chosen + 1] = operation
    elseif (why or not list) and at > furthest then
      chosen, list, why, furthest = { operation }, nodes, problem_here, at
    end
  end
  return chosen, list or {}, why
end

local function read_arguments(stream, list, operation)
  for _, p in ipairs(operation.parameters) do
    if p[1] ~= "out" then list[#list + 1] = decode(stream, p[3], p[2]) end
  end
end

local function read_results(stream, list, operation)
  if operation.result ~= "void" then list[1] = decode(stream, operation.result, "result") end
  for _, p in ipairs(operation.parameters) do
    if p[1] ~= "in" then list[#list + 1] = decode(stream, p[3], p[2]) end
  end
end

local function read_user_exception(stream, list)
  local id, at = stream:string()
  list[1] = leaf("exception", id, stream, at)
  list.exception = id
  list[2] = decode(stream, types[id] and id or stop("the exception " .. id .. " is not known"), "members")
end

local completion = { [0] = "COMPLETED_YES", [1] = "COMPLETED_NO", [2] = "COMPLETED_MAYBE" }
local function read_system_exception(stream, list)
  local id, at = stream:string()
  list[1] = leaf("exception", id, stream, at)
  list.exception = id
  local minor, begin = stream:uint(4)
  list[2] = leaf("minor", string.format("0x%x", minor), stream, begin)
  local completed
  completed, begin = stream:uint(4)
  list[3] = leaf("completed", completion[completed] or tostring(completed), stream, begin)
  stream.at = stream.limit  -- ORBs may add what they like
end

local function show(tree, tvb, node, path)
  local range = node.size > 0 and tvb(node.at, node.size) or tvb(math.min(node.at, tvb:len() - 1), 0)
  local label = node.name .. ": " .. node.text
  if not node.parts then
    tree:add(fields.value, range, path .. "=" .. node.text):set_text(label)
    return
  end
  local item = tree:add(proto, range, label)
  for _, part in ipairs(node.parts) do
    show(item, tvb, part, part.name:sub(1, 1) == "[" and path .. part.name or path .. "." .. part.name)
  end
end

local function names_of(candidates)
  local names = {}
  for _, operation in ipairs(candidates) do names[#names + 1] = operation.interface end
  return names
end

local function add_tree(root, tvb, begin, size, title, candidates, operation, list, why)
  local tree = root:add(proto, tvb(begin, size), "IDL: " .. title)
  tree:add(fields.operation, tvb(begin, size), operation):set_generated()
  for _, name in ipairs(names_of(candidates)) do tree:add(fields.interface, tvb(begin, size), name):set_generated() end
  if list.exception then tree:add(fields.exception, tvb(begin, size), list.exception):set_generated() end
  for _, node in ipairs(list) do show(tree, tvb, node, node.name) end
  if why then tree:add_proto_expert_info(problem, why) end
end

local function title_of(candidates, operation)
  return (candidates[1] and candidates[1].interface .. "::" or "") .. operation
end

local function on_request(context, stream, root)
  local header = read_request(stream)
  local known = operations[header.operation]
  local key = context.out .. header.id
  if not known then
    requests[key] = nil
    return
  end
  local begin = stream.at
  local chosen, list, why = best_of(known, stream, read_arguments)
  if not context.visited then requests[key] = { name = header.operation, candidates = chosen } end
  local title = title_of(chosen, header.operation)
  add_tree(root, stream.tvb, context.begin, context.size, "request " .. title, chosen, header.operation, list, why)
  return title
end

local statuses = { [3] = "location forward", [4] = "permanent location forward", [5] = "needs another addressing mode" }

local function on_reply(context, stream, root)
  local header = read_reply(stream)
  if not context.visited then answered[context.place] = requests[context.back .. header.id] end
  local request = answered[context.place]
  if not request then return end
  local chosen, list, why = request.candidates, {}, nil
  local title = title_of(chosen, request.name)
  if header.status == 0 then
    chosen, list, why = best_of(request.candidates, stream, read_results)
    title = title_of(chosen, request.name)
  elseif header.status == 1 then
    list, why = attempt(stream, read_user_exception)
  elseif header.status == 2 then
    list, why = attempt(stream, read_system_exception)
  elseif header.status == 3 or header.status == 4 then
    list, why = attempt(stream, function(copy, into) into[1] = decode_reference(copy, "forward") end)
  end
  local what = list.exception and "exception from " or statuses[header.status] and statuses[header.status] .. " from " or "reply of "
  add_tree(root, stream.tvb, context.begin, context.size, what .. title, chosen, request.name, list, why)
  return title
end

-- Keeps the parts of a message that comes in fragments; the whole of it as a Tvb once the last is there.
local function join(context, tvb, at, size, kind, minor, little, more)
  if context.visited then return joined[context.place] and joined[context.place]:tvb("GIOP message of several fragments") end
  local ok, key, body = pcall(function()
    local stream = new_stream(tvb, at, at + 12, at + size, little)
    if minor < 2 then return context.out .. "1.1", at + 12 end
    return context.out .. stream:uint(4), at + 16
  end)
  if not ok then return nil end
  if kind ~= 7 then
    fragments[key] = tvb(at, size):bytes()
  elseif fragments[key] and fragments[key]:len() + size <= max_joined then
    if at + size > body then fragments[key]:append(tvb(body, at + size - body):bytes()) end
  else
    fragments[key] = nil
  end
  if more or not fragments[key] then return nil end
  joined[context.place] = fragments[key]
  fragments[key] = nil
  return joined[context.place]:tvb("GIOP message of several fragments")
end

local function on_message(tvb, at, pinfo, root, conversation)
  if at + 12 > tvb:len() then return end
  local minor, flags, kind = tvb(at + 5, 1):uint(), tvb(at + 6, 1):uint(), tvb(at + 7, 1):uint()
  local little = flags % 2 == 1
  local size = 12 + (little and tvb(at + 8, 4):le_uint() or tvb(at + 8, 4):uint())
  if at + size > tvb:len() or (kind ~= 0 and kind ~= 1 and kind ~= 7) then return end
  local context = {
    visited = pinfo.visited, place = pinfo.number .. "/" .. at, begin = at, size = size,
    out = conversation .. "/" .. pinfo.src_port .. ">", back = conversation .. "/" .. pinfo.dst_port .. ">",
  }
  local more = minor >= 1 and math.floor(flags / 2) % 2 == 1
  if more or kind == 7 then
    tvb = join(context, tvb, at, size, kind, minor, little, more)
    if not tvb then return end
    at, size, kind = 0, tvb:len(), tvb(7, 1):uint()
    context.begin, context.size = at, size
  end
  local stream = new_stream(tvb, at, at + 12, at + size, little)
  stream.minor = minor
  return (kind == 0 and on_request or on_reply)(context, stream, root)
end

function proto.dissector(_, pinfo, root)
  local conversation = found_stream() and tostring(found_stream().value) or "none"
  for _, magic in ipairs({ found_magic() }) do
    -- Headers that do not hold what they say are reported by Wireshark's own dissector.
    local ok, title = pcall(on_message, magic.source, magic.offset, pinfo, root, conversation)
    if ok and title then pinfo.cols.info:append(" [" .. title .. "]") end
  end
end

function proto.init()
  requests, answered, fragments, joined = {}, {}, {}, {}
end

register_postdissector(proto, true)

-- What a generated file knows: types by repository id, and operations. Scripts have globals of their own in Wireshark, but one _G.
_G.corbel_idl = {}
function _G.corbel_idl.add(more_types, more_operations)
  for id, type in pairs(more_types) do
    type.id = id
    types[id] = type
  end
  for _, operation in ipairs(more_operations) do
    local list = operations[operation.name] or {}
    operations[operation.name] = list
    local at = #list + 1
    for i, known in ipairs(list) do
      if known.interface == operation.interface then at = i end
    end
    list[at] = operation
  end
end
