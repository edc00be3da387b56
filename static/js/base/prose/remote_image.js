// <remote-image>: an image of another host, a link until the person agrees to load it. The server
// fetches it, so that the host does not learn who reads.

import { gettext, interpolate } from "../i18n.js";
import { safeStorage } from "../storage.js";
import { makeButton } from "./buttons.js";
import { ImageHosts } from "./image_hosts.js";

const storage = safeStorage(() => localStorage);
const AGREED = "image-host-agreed";

class RemoteImage extends HTMLElement {
  #link = null;
  #agreed = null;

  connectedCallback() {
    if (this.#agreed) document.addEventListener(AGREED, this.#agreed); // it was moved
    this.#link = this.querySelector("a");
    if (!this.#link || this.querySelector("button, img")) return;
    if (hosts().has(this.#host)) this.#load();
    else this.#offer();
  }

  disconnectedCallback() {
    document.removeEventListener(AGREED, this.#agreed);
  }

  get #host() {
    try {
      return new URL(this.#link.href).host;
    } catch {
      return "";
    }
  }

  #offer() {
    const host = this.#host;
    const name = document.createElement("span");
    name.className = "image-host";
    name.textContent = host;
    const one = makeButton(document, { name: "image", text: gettext("Load image"), press: () => this.#load() });
    const all = interpolate(gettext("All of %(host)s here"), { host });
    const press = () => {
      hosts().add(host);
      document.dispatchEvent(new CustomEvent(AGREED, { detail: host }));
    };
    this.append(" ", name, one, makeButton(document, { text: all, press }));
    this.#agreed = ({ detail }) => detail === host && this.#load();
    document.addEventListener(AGREED, this.#agreed);
  }

  #load() {
    document.removeEventListener(AGREED, this.#agreed);
    this.#agreed = null;
    const image = document.createElement("img");
    image.alt = this.#link.textContent;
    image.addEventListener("error", () => this.#failed(image), { once: true });
    const query = new URLSearchParams({ url: this.#link.getAttribute("href"), key: this.dataset.key });
    image.src = `${document.body.dataset.imageUrl}?${query}`;
    const hadFocus = this.contains(document.activeElement);
    this.replaceChildren(this.#link, image);
    if (hadFocus) this.#link.focus();
  }

  #failed(image) {
    const sentence = document.createElement("span");
    sentence.className = "image-failed";
    sentence.textContent = gettext("The image could not be loaded.");
    image.replaceWith(" ", sentence);
    this.append(makeButton(document, { name: "refresh", text: gettext("Try again"), press: () => this.#load() }));
  }
}

function hosts() {
  const conversation = document.getElementById("chat")?.dataset.conversation;
  return new ImageHosts(storage, conversation || location.pathname);
}

customElements.define("remote-image", RemoteImage);
