// Words and icons of a tool call's states, as chat/presentation/calls.py has them.

export const CALL_STATES = {
  proposed: ["proposed", "clock"],
  awaiting_approval: ["waits for you", "waiting"],
  approved: ["queued", "clock"],
  denied: ["denied", "denied"],
  sent: ["running", "running"],
  waiting: ["waits for you", "waiting"],
  succeeded: ["done", "done"],
  failed: ["failed", "failed"],
  cancelled: ["cancelled", "stopped"],
  outcome_unknown: ["outcome unknown", "unknown"],
};

export const CALL_ENDED = new Set(["denied", "succeeded", "failed", "cancelled", "outcome_unknown"]);

export const WAITS_FOR_PERSON = new Set(["awaiting_approval", "waiting"]);

// A tool's own name: without the server's, if that is how it was offered.
export function toolName(call) {
  const prefix = `${call.server}-`;
  return call.server && call.name.startsWith(prefix) ? call.name.slice(prefix.length) : call.name;
}

// The argument that says most, on one line; the server's card says it better a moment later.
export function briefOf(argumentsText) {
  let value = argumentsText;
  try {
    const parsed = JSON.parse(argumentsText || "{}");
    value = Object.values(parsed ?? {}).find((item) => typeof item === "string") ?? "";
  } catch {
    // Not JSON: shown as it was written.
  }
  return value.replace(/\s+/g, " ").trim().slice(0, 120);
}
