// Previews of code in a frame that can reach nothing: it is no page of this site (sandbox without
// same-origin), and neither it nor where it goes may load anything (see chat/reading/previews.py).

import { gettext } from "../i18n.js";
import { makeButton } from "./buttons.js";

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
  box.append(makeFrame(document, html, ""), makeNote(document, html));
  figure.append(box);
  return true;
}

function makeNote(document, html) {
  const note = document.createElement("p");
  note.className = "preview-note";
  note.append(gettext("Without network: scripts, images and fonts of other hosts are missing."));
  if (!HAS_SCRIPTS.test(html)) return note;
  const press = ({ currentTarget }) => {
    note.previousElementSibling.replaceWith(makeFrame(document, html, "?scripts"));
    currentTarget.remove();
  };
  note.append(" ", makeButton(document, { name: "play", text: gettext("Run its scripts"), press }));
  return note;
}

function makeFrame(document, html, query) {
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "allow-scripts");
  frame.referrerPolicy = "no-referrer";
  frame.title = gettext("Preview");
  frame.src = `${document.body.dataset.previewUrl}${query}`;
  const answer = ({ source }) => {
    // A frame that was replaced meanwhile has no window, and neither has what it said.
    if (source === null || source !== frame.contentWindow) return;
    removeEventListener("message", answer);
    frame.contentWindow.postMessage(html, "*");
  };
  addEventListener("message", answer);
  return frame;
}

function pageOf(svg) {
  const style = "html,body{margin:0;height:100%}svg{display:block;max-width:100%;max-height:100%;margin:auto}";
  return `<!doctype html><meta charset="utf-8"><style>${style}</style>${svg.replace(/^\s*<\?xml[^>]*>/, "")}`;
}
