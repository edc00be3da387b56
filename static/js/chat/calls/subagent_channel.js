// The socket as the session of one subagent sees it: it opens that conversation alone, which goes over
// the page's socket as `watch`, and hears the frames that come for it.

export class SubagentChannel extends EventTarget {
  #socket;
  #conversation;
  #isOpen = false;
  #over = new AbortController();

  constructor(socket, conversation) {
    super();
    this.#socket = socket;
    this.#conversation = conversation;
    const { signal } = this.#over;
    socket.addEventListener("ready", () => this.#ready(), { signal });
    socket.addEventListener("frames", (event) => this.#take(event.detail), { signal });
  }

  get isReady() {
    return this.#isOpen && this.#socket.isReady;
  }

  open() {
    this.#isOpen = true;
    if (this.#socket.isReady) this.#ready();
  }

  // For good.
  close() {
    this.#over.abort();
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#socket.send({ type: "unwatch", conversation: this.#conversation });
  }

  // False if it could not be sent now.
  send(frame) {
    if (!this.#isOpen) return false;
    return this.#socket.send(frame.type === "open" ? { ...frame, type: "watch" } : frame);
  }

  #ready() {
    if (this.#isOpen) this.dispatchEvent(new Event("ready"));
  }

  #take(frames) {
    if (!this.#isOpen) return;
    for (const frame of frames) {
      if (frame.conversation !== this.#conversation) continue;
      if (frame.type === "nested") this.#tell("frames", frame.frames);
      if (frame.type === "error") this.#tell("refused", frame);
    }
  }

  #tell(type, detail) {
    this.dispatchEvent(new CustomEvent(type, { detail }));
  }
}
