// The size to which an image is scaled before upload. No DOM.

import { gettext, interpolate } from "../../base/i18n.js";

const LONGEST_SIDE = 2048;
export const MOST_BYTES = 5_000_000;
// Types that the server takes unchanged.
export const TAKEN = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

// An animated image would lose its animation.
export function staysAsItIs({ type, size }, { width, height }) {
  if (type === "image/gif") return true;
  return TAKEN.has(type) && size <= MOST_BYTES && Math.max(width, height) <= LONGEST_SIDE;
}

export function fitted({ width, height }) {
  const factor = Math.min(1, LONGEST_SIDE / Math.max(width, height));
  return {
    width: Math.max(1, Math.round(width * factor)),
    height: Math.max(1, Math.round(height * factor)),
  };
}

export function noteOf(before, after) {
  if (before.width === after.width) return gettext("saved again to be smaller");
  return interpolate(gettext("made smaller, from %(width)s × %(height)s to %(newWidth)s × %(newHeight)s"), { width: before.width, height: before.height, newWidth: after.width, newHeight: after.height });
}

// The name with the extension of the new type.
export function renamed(name, type) {
  const ending = type === "image/png" ? "png" : "jpg";
  return `${name.replace(/\.[^.]*$/, "")}.${ending}`;
}
