// The list of models: finding one among many, and going on where one was moved.

import { enableFilters } from "./filtering.js";

enableFilters(document);

const pressed = document.getElementById(location.hash.slice(1));
if (pressed?.matches("button")) {
  // At an end of the list the button is disabled: its neighbour goes back.
  const next = pressed.disabled ? pressed.parentElement.querySelector("button:enabled") : pressed;
  next?.focus();
}
