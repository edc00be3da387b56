// Previews of code in a frame that can reach nothing (see chat/reading/previews.py): first without
// scripts, filled from here; if the person says so, with them, as no page of this site.

import { gettext } from "../i18n.js";
import { makeButton } from "./buttons.js";
import { fillClean } from "./clean_copy.js";

const HAS_SCRIPTS = /<script\b|\son\w+\s*=|javascript:/i;

// Shows or hides the preview of a code block; true if it is shown now.
export function togglePreview(document, figure, code, kind) {
  const shown = figure.querySelector(":scope > .preview");
  if (shown) {
    shown.remove();
    return false;
  }
  const box = document.createElement("div");
  box.className = "preview";
  const html = kind === "svg" ? pageOf(code) : code;
  box.append(makeStill(document, html), makeNote(document, html));
  figure.append(box);
  return true;
}

function makeNote(document, html) {
  const note = document.createElement("p");
  note.className = "preview-note";
  note.append(gettext("Without network: scripts, images and fonts of other hosts are missing."));
  if (!HAS_SCRIPTS.test(html)) return note;
  const press = ({ currentTarget }) => {
    note.previousElementSibling.replaceWith(makeRunning(document, html));
    currentTarget.remove();
  };
  note.append(" ", makeButton(document, { name: "play", text: gettext("Run its scripts"), press }));
  return note;
}

// No script runs in it, and so it may be of this site, which lets us fill it.
function makeStill(document, html) {
  const frame = makeFrame(document, "allow-same-origin", "");
  frame.addEventListener("load", () => {
    if (frame.contentDocument) fillClean(frame, html); // none, if the page could not be loaded
  });
  return frame;
}

function makeRunning(document, html) {
  const frame = makeFrame(document, "allow-scripts", "?scripts");
  const answer = ({ source }) => {
    // A frame that was replaced meanwhile has no window, and neither has what it said.
    if (source === null || source !== frame.contentWindow) return;
    removeEventListener("message", answer);
    frame.contentWindow.postMessage(html, "*");
  };
  addEventListener("message", answer);
  return frame;
}

function makeFrame(document, sandbox, query) {
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", sandbox);
  frame.referrerPolicy = "no-referrer";
  frame.title = gettext("Preview");
  frame.src = `${document.body.dataset.previewUrl}${query}`;
  return frame;
}

function pageOf(svg) {
  const style = "html,body{margin:0;height:100%}svg{display:block;max-width:100%;max-height:100%;margin:auto}";
  return `<!doctype html><meta charset="utf-8"><style>${style}</style>${svg.replace(/^\s*<\?xml[^>]*>/, "")}`;
}
