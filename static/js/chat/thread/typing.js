// What keys mean. No DOM: events are looked at, not acted upon.

// The key code that browsers give to keys which an input method has taken; Safari reports the
// Enter that ends a composition so, and as no longer composing.
const TAKEN_BY_INPUT_METHOD = 229;

// Whether a key press sends. Enter does, and with Shift it breaks the line; if the person likes
// "ctrl_enter" better, Enter breaks the line and sends only with Ctrl or ⌘. While Chinese (or other)
// input is composed, Enter chooses a candidate.
export function sendsOn(event, sendingKey = "enter") {
  if (event.key !== "Enter" || event.shiftKey || event.altKey) return false;
  if (event.isComposing || event.keyCode === TAKEN_BY_INPUT_METHOD) return false;
  return sendingKey !== "ctrl_enter" || event.ctrlKey || event.metaKey;
}
