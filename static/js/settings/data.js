// The section of data: a file of conversations is uploaded with its progress; the state of an
// archive is fetched again until it is over.

import { startUpload } from "../chat/attachments/upload.js";
import { gettext, interpolate } from "../base/i18n.js";
import { fetchPartial, pollWhile, replaceContents } from "../base/partials.js";

const form = document.getElementById("import-form");
const archive = document.getElementById("archive-status");

form?.addEventListener("submit", (event) => {
  event.preventDefault();
  upload(form);
});

async function upload(form) {
  const [file] = form.elements.file.files;
  const most = Number(form.dataset.most);
  say("");
  if (!file) return;
  if (file.size > most) {
    say(interpolate(gettext("The file is too large: the limit is %(most)s. Split it, and import the parts."), { most: form.dataset.mostShown }));
    return;
  }
  const bar = form.querySelector("progress");
  const button = form.querySelector("[type=submit]");
  bar.hidden = false;
  button.disabled = true;
  try {
    const { url } = await started(form, file, bar).done;
    location.assign(url);
  } catch (failure) {
    say(failure.message);
    bar.hidden = true;
    button.disabled = false;
  }
}

function started(form, file, bar) {
  return startUpload({
    url: form.getAttribute("action"),
    token: form.elements.csrfmiddlewaretoken.value,
    blob: file,
    name: file.name,
    progress: (share) => (bar.value = share),
  });
}

function say(sentence) {
  const place = document.getElementById("import-problem");
  place.textContent = sentence;
  place.hidden = !sentence;
}

if (archive) {
  const section = () => archive.querySelector("[data-status-url]");
  pollWhile(
    () => section()?.dataset.over === "no",
    async () => {
      const response = await fetchPartial(section().dataset.statusUrl);
      if (response?.ok) replaceContents(archive, await response.text());
    },
    { everyMs: 1000 },
  );
}
