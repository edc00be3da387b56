// As much of a document as the tail needs, for tests without a browser.

class Node {
  parent = null;

  remove() {
    const { childNodes } = this.parent;
    childNodes.splice(childNodes.indexOf(this), 1);
    this.parent = null;
  }

  replaceWith(...nodes) {
    const { parent } = this;
    const place = parent.childNodes.indexOf(this);
    for (const node of nodes) if (node.parent) node.remove();
    parent.childNodes.splice(place, 1, ...nodes);
    for (const node of nodes) node.parent = parent;
  }
}

class Text extends Node {
  constructor(data) {
    super();
    this.data = data;
  }

  appendData(text) {
    this.data += text;
  }

  get html() {
    return this.data.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  }
}

class Element extends Node {
  childNodes = [];
  #attributes = new Map();

  constructor(localName) {
    super();
    this.localName = localName;
  }

  append(...nodes) {
    for (const node of nodes) {
      if (node.parent) node.remove();
      node.parent = this;
      this.childNodes.push(node);
    }
  }

  setAttribute(name, value) {
    this.#attributes.set(name, value);
  }

  set className(value) {
    this.#attributes.set("class", value);
  }

  get inner() {
    return this.childNodes.map((node) => node.html).join("");
  }

  get html() {
    const shown = [...this.#attributes].filter(([name]) => name !== "data-tail" && name !== "dir");
    const attributes = shown.map(([name, value]) => ` ${name}="${value}"`).join("");
    const { localName } = this;
    if (localName === "hr") return "<hr>";
    return `<${localName}${attributes}>${this.inner}</${localName}>`;
  }
}

export const fakeDocument = {
  createElement: (name) => new Element(name),
  createTextNode: (data) => new Text(data),
};
