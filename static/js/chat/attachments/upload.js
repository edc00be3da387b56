// Uploads one file by XMLHttpRequest, because fetch() has no progress of uploads.

import { gettext } from "../../base/i18n.js";

class UploadFailed extends Error {
  // `again`: another try may succeed.
  constructor(sentence, again) {
    super(sentence);
    this.again = again;
  }
}

const UNREACHABLE = gettext("The server cannot be reached.");
const SIGNED_OUT = gettext("You are signed out. Sign in again, then try again.");
const REFUSED = gettext("The server rejected this file.");

// Resolves to the stored attachment; `upload.abort()` ends it without a result.
export function startUpload({ url, token, blob, name, progress }) {
  const request = new XMLHttpRequest();
  const done = new Promise((resolve, reject) => {
    request.upload.addEventListener("progress", ({ loaded, total }) => progress(loaded / total));
    request.addEventListener("error", () => reject(new UploadFailed(UNREACHABLE, true)));
    request.addEventListener("load", () => {
      const failure = failureOf(request, url);
      if (failure) reject(failure);
      else resolve(parse(request.responseText));
    });
  });
  const form = new FormData();
  form.append("csrfmiddlewaretoken", token);
  form.append("name", name);
  form.append("file", blob, "file");
  request.open("POST", url);
  request.setRequestHeader("X-Requested-With", "fetch");
  request.send(form);
  return { done, abort: () => request.abort() };
}

function failureOf(request, url) {
  const answer = parse(request.responseText);
  if (request.status === 201 && answer?.id) return null;
  if (typeof answer?.error === "string") return new UploadFailed(answer.error, false);
  const isElsewhere = !request.responseURL.endsWith(url);
  if (request.status === 403 || isElsewhere) return new UploadFailed(SIGNED_OUT, true);
  return new UploadFailed(REFUSED, request.status >= 500);
}

function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
