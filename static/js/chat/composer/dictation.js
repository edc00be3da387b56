// Dictation where the browser has it. Its vendor may get the sound, which the button says.

import { gettext } from "../../base/i18n.js";

const PROBLEMS = {
  "not-allowed": gettext("The microphone is not allowed on this page. Allow it in the browser's settings."),
  "service-not-allowed": gettext("This browser does not allow dictation here."),
  "audio-capture": gettext("No microphone was found."),
  network: gettext("Dictation needs a connection to the browser's vendor, which failed."),
  "language-not-supported": gettext("The browser does not dictate in this language."),
};

export class Dictation {
  #button;
  #composer;
  #say;
  #recognition = null;

  // `say(sentence)` shows a problem.
  constructor(button, composer, say) {
    this.#button = button;
    this.#composer = composer;
    this.#say = say;
  }

  toggle() {
    if (this.#recognition) this.#recognition.stop();
    else this.#begin();
  }

  #begin() {
    const Recognition = globalThis.SpeechRecognition ?? globalThis.webkitSpeechRecognition;
    const recognition = new Recognition();
    recognition.lang = navigator.language;
    recognition.continuous = true;
    recognition.interimResults = false;
    recognition.addEventListener("result", (event) => this.#heard(event));
    recognition.addEventListener("error", ({ error }) => this.#failed(error));
    recognition.addEventListener("end", () => this.#ended());
    this.#recognition = recognition;
    this.#mark(true);
    try {
      recognition.start();
    } catch {
      this.#failed("");
      this.#ended();
    }
  }

  #heard({ results, resultIndex }) {
    for (const result of [...results].slice(resultIndex)) {
      if (result.isFinal) this.#composer.insertWords(result[0].transcript.trim());
    }
  }

  #failed(error) {
    if (error === "no-speech" || error === "aborted") return;
    this.#say(PROBLEMS[error] ?? gettext("Dictation failed. Try again."));
  }

  #ended() {
    this.#recognition = null;
    this.#mark(false);
    this.#composer.focus();
  }

  #mark(isOn) {
    this.#button.setAttribute("aria-pressed", String(isOn));
  }
}
