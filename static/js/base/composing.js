// Input methods (Chinese, Japanese, …): keys that choose a candidate are none of the page's. No DOM.

// The key code that browsers give to keys which an input method has taken; Safari reports the
// Enter that ends a composition so, and as no longer composing.
const TAKEN_BY_INPUT_METHOD = 229;

export function isComposing(event) {
  return Boolean(event.isComposing) || event.keyCode === TAKEN_BY_INPUT_METHOD;
}
