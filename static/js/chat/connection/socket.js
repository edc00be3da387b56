// The websocket: connects, and reconnects after a pause. The outbox handles frames that could not be
// sent.

import { delay } from "./backoff.js";

const SIGNED_OUT = 4403;
const TOO_MANY = 4429;
// Attempts after which the pause no longer grows.
const LATE_ATTEMPT = 10;
const PING_MS = 20_000;
// Without a frame for so long, despite pings, the connection counts as dead.
const SILENT_MS = 45_000;

export class Socket extends EventTarget {
  #url;
  #socket = null;
  #attempt = 0;
  #ready = false;
  #heardAt = 0;
  #timer = null;
  #pinging;
  #over = false;

  constructor(url) {
    super();
    this.#url = url;
    this.#pinging = setInterval(() => this.#keepAlive(), PING_MS);
    addEventListener("online", () => this.#hurry());
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "visible") this.#hurry();
    });
  }

  get isReady() {
    return this.#ready && this.#socket?.readyState === WebSocket.OPEN;
  }

  connect() {
    clearTimeout(this.#timer);
    const socket = new WebSocket(this.#url);
    this.#socket = socket;
    this.#heardAt = Date.now();
    socket.addEventListener("message", (event) => {
      if (socket === this.#socket) this.#receive(event.data);
    });
    socket.addEventListener("close", (event) => {
      if (socket === this.#socket) this.#closed(event.code);
    });
  }

  // False if there is no connection.
  send(frame) {
    if (!this.isReady) return false;
    this.#socket.send(JSON.stringify(frame));
    return true;
  }

  // Closes for good.
  close() {
    this.#over = true;
    clearTimeout(this.#timer);
    clearInterval(this.#pinging);
    this.#socket?.close();
  }

  #receive(text) {
    this.#heardAt = Date.now();
    const message = JSON.parse(text);
    const frames = Array.isArray(message) ? message : [message];
    if (frames[0]?.type === "hello") {
      this.#attempt = 0;
      this.#ready = true;
      this.dispatchEvent(new Event("ready"));
    }
    this.dispatchEvent(new CustomEvent("frames", { detail: frames }));
  }

  #closed(code) {
    this.#socket = null;
    this.#ready = false;
    // The person has to close other tabs first, which takes a while.
    if (code === TOO_MANY) this.#attempt = LATE_ATTEMPT;
    const detail = {
      signedOut: code === SIGNED_OUT,
      tooMany: code === TOO_MANY,
      attempt: this.#attempt,
    };
    this.dispatchEvent(new CustomEvent("lost", { detail }));
    if (detail.signedOut || this.#over) return;
    this.#timer = setTimeout(() => this.connect(), delay(this.#attempt));
    this.#attempt += 1;
  }

  #hurry() {
    if (this.#over) return;
    if (this.#socket === null) this.connect();
    else if (Date.now() - this.#heardAt > PING_MS) this.send({ type: "ping" });
  }

  #keepAlive() {
    if (this.#socket === null) return;
    const silent = Date.now() - this.#heardAt;
    if (silent > SILENT_MS) {
      const dead = this.#socket;
      this.#closed(0);
      dead.close();
    } else {
      this.send({ type: "ping" });
    }
  }
}
