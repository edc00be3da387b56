// The text of the context share. No DOM. The server has the same text in
// templates/chat/_context.html.

export function percentOf({ tokens, window }) {
  return window ? Math.round((100 * tokens) / window) : 0;
}

export function warns({ tokens, window, threshold }) {
  return threshold > 0 && tokens > threshold * window;
}

export function detailOf({ tokens, window, estimated }) {
  const about = estimated ? "About " : "";
  const how = estimated ? "estimated after the summary" : "as the provider counted the latest answer";
  return `${about}${thousands(tokens)} of ${thousands(window)} tokens, ${how}.`;
}

export function ruleOf({ threshold }) {
  if (!threshold) return "Older messages are summarised only when you ask for it.";
  return `At ${Math.round(100 * threshold)} %, older messages are summarised automatically.`;
}

function thousands(count) {
  return count.toLocaleString("en-US");
}
