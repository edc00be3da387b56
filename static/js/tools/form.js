// The form of a server: shows the fields of the chosen connection only.

const form = document.getElementById("server-form");
const choice = form.elements.namedItem("transport");

function show() {
  for (const part of form.querySelectorAll("[data-transport]")) {
    part.hidden = part.dataset.transport !== choice.value;
  }
}

choice.addEventListener("change", show);
show();
