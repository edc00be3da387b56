// Buttons within rendered Markdown.

import { icon } from "../icons.js";

// A small button with an icon, a text or both; `label` names it where there is no text.
export function makeButton(document, { name, text = "", label = text, press }) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = text ? "prose-button" : "prose-button prose-icon";
  if (name) button.append(icon(document, name));
  if (text) button.append(text);
  else {
    button.setAttribute("aria-label", label);
    button.title = label;
  }
  if (press) button.addEventListener("click", press);
  return button;
}
