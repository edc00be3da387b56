// The draft as a value: one JSON object that the form and the JSON view both edit. No DOM.
//
// What is typed into a field that wants a number or JSON, and is none, stays in the draft as the
// text that it is: the server says what is wrong with it, and nothing is lost.

// Keeps how a number was written where JavaScript would write it differently.
export function parse(text) {
  return JSON.parse(text, (_, value, context) => {
    if (typeof value !== "number" || context?.source === undefined || !JSON.rawJSON) return value;
    return String(value) === context.source ? value : JSON.rawJSON(context.source);
  });
}

export function write(value) {
  return JSON.stringify(value, null, 2);
}

// The object of a text, or null if it is none.
export function draftOf(text) {
  try {
    const value = parse(text);
    return value && typeof value === "object" && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

// Whether the form can show it: its messages are objects in a list.
export function isShowable(draft) {
  const { messages = [], parameters = {} } = draft;
  const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
  return Array.isArray(messages) && messages.every(isObject) && isObject(parameters);
}

export function get(draft, path) {
  return path.split(".").reduce((value, key) => value?.[key], draft);
}

// Undefined takes the member away.
export function set(draft, path, value) {
  const keys = path.split(".");
  const last = keys.pop();
  const place = keys.reduce((inner, key) => (inner[key] ??= {}), draft);
  if (value === undefined) delete place[last];
  else place[last] = value;
}

const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

export function numberOf(text) {
  const typed = text.trim();
  if (!typed) return undefined;
  return NUMBER.test(typed) ? parse(typed) : typed;
}

export function jsonOf(text) {
  if (!text.trim()) return undefined;
  try {
    return parse(text);
  } catch {
    return text;
  }
}

// One text a line; a line break within one is written as \n, a backslash as two.
export function linesOf(text) {
  const lines = text.split("\n").filter(Boolean);
  return lines.length ? lines.map((line) => line.replace(/\\(\\|n)/g, (_, one) => (one === "n" ? "\n" : "\\"))) : undefined;
}

export function shownLines(value) {
  if (!Array.isArray(value)) return value === undefined ? "" : String(value);
  return value.map((line) => String(line).replaceAll("\\", "\\\\").replaceAll("\n", "\\n")).join("\n");
}

export function shownJSON(value) {
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return value;
  if (Array.isArray(value) && value.length === 0) return "";
  if (typeof value === "object" && Object.keys(value).length === 0) return "";
  return write(value);
}

export function shownNumber(value) {
  return value === undefined || value === null ? "" : JSON.stringify(value).replace(/^"|"$/g, "");
}

function newMessage(role) {
  return role === "tool" ? { role, tool_call_id: "", content: "" } : { role, content: "" };
}

// Adds a message and answers where it stands: a system message first, anything else last. A result
// is for the first call without one.
export function add(draft, role) {
  const messages = (draft.messages ??= []);
  const message = newMessage(role);
  if (role === "tool") message.tool_call_id = openCall(messages) ?? "";
  const place = role === "system" ? 0 : messages.length;
  messages.splice(place, 0, message);
  return place;
}

function openCall(messages) {
  const answered = new Set(messages.map((message) => message.tool_call_id));
  const calls = messages.flatMap((message) => message.tool_calls ?? []);
  return calls.map((call) => call.id).find((id) => id && !answered.has(id));
}

export function remove(draft, index) {
  draft.messages.splice(index, 1);
}

// Answers where the message stands afterwards.
export function move(draft, index, by) {
  const to = index + by;
  if (to < 0 || to >= draft.messages.length) return index;
  const [message] = draft.messages.splice(index, 1);
  draft.messages.splice(to, 0, message);
  return to;
}

export function addCall(message) {
  const calls = (message.tool_calls ??= []);
  const taken = new Set(calls.map((call) => call.id));
  let number = calls.length + 1;
  while (taken.has(`call_${number}`)) number += 1;
  calls.push({ id: `call_${number}`, type: "function", function: { name: "", arguments: "{}" } });
}

export function removeCall(message, index) {
  message.tool_calls.splice(index, 1);
  if (!message.tool_calls.length) delete message.tool_calls;
}

const SHOWN = ["role", "content", "reasoning_content", "tool_calls", "tool_call_id", "is_error"];

// What a message has beside what the form shows; it is kept as it is.
export function alsoHas(message) {
  return Object.keys(message).filter((key) => !SHOWN.includes(key));
}

// In words, what a content part is that is no text.
export function describePart(part) {
  const url = part.image_url?.url ?? part.file?.file_data ?? "";
  const size = typeof url === "string" && url.startsWith("data:") ? Math.round((url.length * 3) / 4 / 1000) : 0;
  const name = part.file?.filename ?? part.type ?? "part";
  return size ? `${name}, ${size.toLocaleString("en")} KB` : String(name);
}
