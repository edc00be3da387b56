// How numbers look: durations with units, sizes in KB/MB/GB. No DOM.

import { gettext, interpolate } from "./i18n.js";

export function duration(ms) {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}

// How long something has been going on: nothing for an instant, tenths only while they do not
// flicker.
export function stopwatch(ms) {
  if (ms < 100) return "";
  if (ms < 9_950) return `${(ms / 1000).toFixed(1)} s`;
  return ms < 60_000 ? `${Math.floor(ms / 1000)} s` : duration(1000 * Math.floor(ms / 1000));
}

export function size(bytes) {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 999_950) return `${(bytes / 1000).toFixed(1)} KB`;
  if (bytes < 999_950_000) return `${(bytes / 1_000_000).toFixed(1)} MB`;
  return `${(bytes / 1_000_000_000).toFixed(1)} GB`;
}

export function relativeTime(ms) {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return gettext("just now");
  if (minutes < 60) return interpolate(gettext("%(minutes)s min ago"), { minutes });
  if (minutes < 24 * 60) return interpolate(gettext("%(hours)s h ago"), { hours: Math.floor(minutes / 60) });
  const days = Math.floor(minutes / (24 * 60));
  return days === 1 ? gettext("yesterday") : interpolate(gettext("%(days)s days ago"), { days });
}
