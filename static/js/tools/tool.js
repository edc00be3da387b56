// A tool's page: a form made from its schema, or JSON; calls it and shows what comes back.

import { gettext, interpolate } from "../base/i18n.js";
import { makeFields } from "./schema_fields.js";
import { Trial } from "./trial.js";

const form = document.getElementById("try-form");

function begin() {
  const place = document.getElementById("try-fields");
  const json = document.getElementById("try-json");
  const area = document.getElementById("try-arguments");
  const problem = document.getElementById("try-problem");
  const schema = JSON.parse(document.getElementById("tool-schema").textContent);
  const trial = new Trial(document.getElementById("trial"));
  const read = makeFields(document, place, schema);
  const modes = form.querySelector(".try-modes");
  let mode = read === null ? "json" : "form";

  function show() {
    modes.hidden = read === null;
    place.hidden = mode !== "form";
    json.hidden = mode !== "json";
    for (const button of modes.querySelectorAll("button")) {
      button.setAttribute("aria-pressed", String(button.dataset.mode === mode));
    }
  }

  // The arguments as JSON text, or null after saying what is wrong.
  function written() {
    problem.textContent = "";
    try {
      if (mode === "form") area.value = JSON.stringify(read(), null, 2);
      JSON.parse(area.value || "{}");
      return area.value;
    } catch (error) {
      problem.textContent = mode === "form" ? error.message : interpolate(gettext("This is not JSON: %(message)s"), { message: error.message });
      return null;
    }
  }

  modes.addEventListener("click", ({ target }) => {
    const wanted = target.closest("[data-mode]")?.dataset.mode;
    if (!wanted || wanted === mode) return;
    if (mode === "form" && written() === null) return;
    mode = wanted;
    show();
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (written() !== null) trial.begin(form.action, new FormData(form));
  });
  show();
}

if (form) begin();
