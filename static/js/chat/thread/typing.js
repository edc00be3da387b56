// What keys mean. No DOM: events are looked at, not acted upon.

import { isComposing } from "../../base/composing.js";

// Whether a key press sends. Enter does, and with Shift it breaks the line; if the person likes
// "ctrl_enter" better, Enter breaks the line and sends only with Ctrl or ⌘. While Chinese (or other)
// input is composed, Enter chooses a candidate.
export function sendsOn(event, sendingKey = "enter") {
  if (event.key !== "Enter" || event.shiftKey || event.altKey) return false;
  if (isComposing(event)) return false;
  return sendingKey !== "ctrl_enter" || event.ctrlKey || event.metaKey;
}
