// A folder goes along with the paths of its files, which a form alone would not send. What would be
// refused anyway is not sent.

import { problemOf, sizeProblem } from "./folder.js";

const form = document.getElementById("folder-form");
const input = document.getElementById("folder");
const problem = document.getElementById("folder-problem");

// What was chosen before this script ran, or comes back with the page, counts too.
form.hidden = false;
if (input.files.length > 0) takeFolder();
input.addEventListener("change", takeFolder);

function takeFolder() {
  const files = [...input.files].map((file) => ({ path: file.webkitRelativePath || file.name, size: file.size }));
  for (const old of form.querySelectorAll("[name=path]")) old.remove();
  for (const { path } of files) {
    const line = document.createElement("input");
    line.type = "hidden";
    line.name = "path";
    line.value = path;
    form.append(line);
  }
  show(input, problem, problemOf(files, Number(form.dataset.mostFiles), Number(form.dataset.most)));
}

const archive = document.getElementById("archive");
archive.addEventListener("change", () => {
  const [file] = archive.files;
  const sentence = file ? sizeProblem(file.size, Number(archive.dataset.most)) : "";
  show(archive, document.getElementById("archive-problem"), sentence);
});

function show(control, place, sentence) {
  place.textContent = sentence;
  control.setCustomValidity(sentence);
  if (sentence) control.setAttribute("aria-invalid", "true");
  else control.removeAttribute("aria-invalid");
}
