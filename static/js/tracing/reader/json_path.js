// Paths and values of a JSON tree whose tokens are texts. No DOM.

const PLAIN = /^[A-Za-z_$][\w$]*$/;

// $.messages[2].content for the steps from the root: a key's token, or a place in a list.
export function pathOf(steps) {
  return `$${steps.map((step) => (typeof step === "number" ? `[${step}]` : member(step))).join("")}`;
}

function member(token) {
  const key = token.slice(1, -1);
  return PLAIN.test(key) ? `.${key}` : `[${token}]`;
}

// What a node of { key, open, token, children } was written as, without space.
export function valueOf({ open, token, children }) {
  if (!open) return token;
  const inner = children.map((child) => (child.key ? `${child.key}:` : "") + valueOf(child));
  return open + inner.join(",") + (open === "{" ? "}" : "]");
}

// A value as one wants it in one's clipboard: a string as its text.
export function copied(value) {
  if (!value.startsWith('"')) return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}
