// The form of a server: shows the fields that count for what is chosen, and tests before saving.

import { Trial } from "./trial.js";

const form = document.getElementById("server-form");
const trial = new Trial(document.getElementById("trial"));

function chosen(name) {
  const field = form.elements.namedItem(name);
  return field.type === "checkbox" ? field.checked : field.value;
}

function show() {
  for (const part of form.querySelectorAll("[data-transport]")) {
    part.hidden = !part.dataset.transport.split(" ").includes(chosen("transport"));
  }
  for (const part of form.querySelectorAll("[data-when]")) {
    const [name, value] = part.dataset.when.split("=");
    part.hidden = value === undefined ? !chosen(name) : chosen(name) !== value;
  }
}

form.addEventListener("change", show);
show();

const test = form.querySelector("[data-try]");
test.hidden = false;
test.addEventListener("click", () => trial.begin(form.dataset.tryUrl, new FormData(form)));
