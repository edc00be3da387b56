// Icons of the sprite, whose address the page's body knows.

const SVG = "http://www.w3.org/2000/svg";

export function icon(document, name) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("width", "16");
  svg.setAttribute("height", "16");
  svg.setAttribute("aria-hidden", "true");
  svg.append(document.createElementNS(SVG, "use"));
  setIcon(document, svg, name);
  return svg;
}

export function setIcon(document, svg, name) {
  svg.setAttribute("class", `icon icon-${name}`);
  svg.querySelector("use").setAttribute("href", `${document.body.dataset.icons}#${name}`);
}
