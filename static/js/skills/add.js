// A folder goes along with the paths of its files, which a form alone would not send.

import { problemOf } from "./folder.js";

const form = document.getElementById("folder-form");
const input = document.getElementById("folder");
const problem = document.getElementById("folder-problem");

form.hidden = false;

input.addEventListener("change", () => {
  const files = [...input.files].map((file) => ({ path: file.webkitRelativePath || file.name, size: file.size }));
  for (const old of form.querySelectorAll("[name=path]")) old.remove();
  for (const { path } of files) {
    const line = document.createElement("input");
    line.type = "hidden";
    line.name = "path";
    line.value = path;
    form.append(line);
  }
  show(problemOf(files, Number(form.dataset.mostFiles), Number(form.dataset.most)));
});

form.addEventListener("submit", (event) => {
  if (problem.textContent && input.validity.customError) event.preventDefault();
});

function show(sentence) {
  problem.replaceChildren();
  input.setCustomValidity(sentence);
  input.toggleAttribute("aria-invalid", false);
  if (!sentence) return;
  input.setAttribute("aria-invalid", "true");
  const line = document.createElement("li");
  line.textContent = sentence;
  problem.append(line);
}
