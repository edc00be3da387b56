// Filters prompts and resources by a query. No DOM.

import { matches } from "../../providers/filter.js";

// Whether every word occurs in the offer's texts; a leading `/` is ignored.
export function fits(offer, typed) {
  const { name, title, description, uri, server } = offer;
  const said = [server, name, title, description, uri].filter(Boolean).join(" ");
  return matches(said, typed.trim().replace(/^\//, ""));
}
