// Which prompts and resources fit what was typed. Knows no DOM.

import { matches } from "../../providers/filter.js";

// Whether every word is somewhere in what the offer says of itself; `/` before them means nothing.
export function fits(offer, typed) {
  const { name, title, description, uri, server } = offer;
  const said = [server, name, title, description, uri].filter(Boolean).join(" ");
  return matches(said, typed.trim().replace(/^\//, ""));
}
