// A copy of parsed HTML that can neither run nor load anything: of listed elements and attributes,
// made one by one in the document that shows it. It is never written as text and parsed again, since
// a second parser may read another tree (a <noscript> with scripts on, say).

const HTML = words(`html head body a abbr acronym address area article aside audio b bdi bdo big blockquote
  br button canvas caption center cite code col colgroup data datalist dd del details dfn dialog dir div dl dt
  em fieldset figcaption figure font footer form h1 h2 h3 h4 h5 h6 header hgroup hr i img input ins kbd label
  legend li main map mark marquee menu meter nav ol optgroup option output p picture pre progress q rp rt ruby
  s samp search section select small source span strike strong style sub summary sup table tbody td textarea
  tfoot th thead time tr tt u ul var video wbr`);
const SVG = words(`svg a animate animateMotion animateTransform circle clipPath defs desc ellipse feBlend
  feColorMatrix feComponentTransfer feComposite feConvolveMatrix feDiffuseLighting feDisplacementMap
  feDistantLight feDropShadow feFlood feFuncA feFuncB feFuncG feFuncR feGaussianBlur feImage feMerge
  feMergeNode feMorphology feOffset fePointLight feSpecularLighting feSpotLight feTile feTurbulence filter
  foreignObject g image line linearGradient marker mask mpath path pattern polygon polyline radialGradient
  rect set stop style switch symbol text textPath title tspan use`);
const MATHML = words(`math mfrac mi mmultiscripts mn mo mover mpadded mphantom mprescripts mroot mrow ms
  mspace msqrt mstyle msub msubsup msup mtable mtd mtext mtr munder munderover semantics`);
const LISTED = {
  "http://www.w3.org/1999/xhtml": HTML,
  "http://www.w3.org/2000/svg": SVG,
  "http://www.w3.org/1998/Math/MathML": MATHML,
};
// Of others the content stays; of these it is no text for a reader.
const LEFT_OUT = words(`annotation annotation-xml applet base embed fencedframe frame frameset iframe link meta
  noembed noframes object param portal script template title xml`);
const OWN_NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)+$/; // of an element that only styles know

const PLAIN = words(`align alt bgcolor border cellpadding cellspacing checked class color cols colspan
  contenteditable controls datetime dir disabled display face for headers height hidden high id inert label
  lang loop low max maxlength min minlength multiple muted name open optimum pattern placeholder popover
  popovertarget popovertargetaction preload readonly required reversed role rows rowspan scope selected shape
  size span start step style tabindex title translate type valign value width wrap autoplay coords
  accent amplitude azimuth baseFrequency baseline-shift begin bias by calcMode clip-path clip-rule
  clipPathUnits color-interpolation color-interpolation-filters cx cy d diffuseConstant direction divisor
  dominant-baseline dur dx dy edgeMode elevation end exponent fill fill-opacity fill-rule filter filterUnits
  flood-color flood-opacity font-family font-size font-stretch font-style font-variant font-weight fr from fx
  fy gradientTransform gradientUnits image-rendering in in2 intercept k1 k2 k3 k4 kernelMatrix
  kernelUnitLength keyPoints keySplines keyTimes lengthAdjust letter-spacing lighting-color limitingConeAngle
  marker-end marker-mid marker-start markerHeight markerUnits markerWidth mask mask-type maskContentUnits
  maskUnits mode numOctaves offset opacity operator order orient origin overflow paint-order path pathLength
  patternContentUnits patternTransform patternUnits pointer-events points pointsAtX pointsAtY pointsAtZ
  preserveAlpha preserveAspectRatio primitiveUnits r radius refX refY repeatCount repeatDur restart result
  rotate rx ry scale seed shape-rendering slope spacing specularConstant specularExponent spreadMethod
  startOffset stdDeviation stitchTiles stop-color stop-opacity stroke stroke-dasharray stroke-dashoffset
  stroke-linecap stroke-linejoin stroke-miterlimit stroke-opacity stroke-width surfaceScale tableValues
  targetX targetY text-anchor text-decoration text-rendering textLength to transform transform-origin values
  vector-effect version viewBox visibility word-spacing writing-mode x x1 x2 xChannelSelector y y1 y2
  yChannelSelector z additive accumulate attributeType
  columnalign columnspan depth displaystyle fence linethickness lspace mathbackground mathcolor mathsize
  mathvariant maxsize minsize movablelimits notation rowalign rspace scriptlevel separator stretchy symmetric
  voffset`);
const OURS = /^(?:aria|data)-[a-z0-9-]+$/;
const INSIDE = /^#/;
const DATA = /^data:(?:image|audio|video)\//i;
// What may stand in attributes that lead somewhere, or that change others.
const RULES = {
  href: (value, element) => INSIDE.test(value) || (/^(?:feImage|image)$/.test(element) && DATA.test(value)),
  "xlink:href": (value, element) => RULES.href(value, element),
  src: (value) => DATA.test(value),
  poster: (value) => DATA.test(value),
  attributeName: (value) => PLAIN.has(value),
};

// Members of a <form> may have the names of its fields.
const childrenOf = getter(Node.prototype, "childNodes");
const attributesOf = getter(Element.prototype, "attributes");

// Fills an empty document with the copy of an HTML text.
export function fillClean(frame, html) {
  const page = frame.contentDocument;
  // Of the frame, whose policy for styles is that of the copy.
  const parsed = new frame.contentWindow.DOMParser().parseFromString(html, "text/html");
  page.documentElement.replaceWith(...copies(parsed.documentElement, page));
}

function copies(node, page) {
  if (node.nodeType === Node.TEXT_NODE) return [page.createTextNode(node.data)];
  if (node.nodeType !== Node.ELEMENT_NODE || LEFT_OUT.has(node.localName)) return [];
  const children = [...childrenOf(node)].flatMap((child) => copies(child, page));
  if (!isListed(node)) return children;
  const copy = page.createElementNS(node.namespaceURI, node.localName);
  for (const { namespaceURI, name, value } of attributesOf(node)) {
    if (name.includes(":") && !namespaceURI) continue; // no name of an attribute for a DOM
    if (isHarmless(name, value.trim(), node.localName)) copy.setAttributeNS(namespaceURI, name, value);
  }
  for (const child of children) copy.append(child);
  return [copy];
}

function isListed({ namespaceURI, localName }) {
  const elements = LISTED[namespaceURI];
  return elements !== undefined && (elements.has(localName) || (elements === HTML && OWN_NAME.test(localName)));
}

function isHarmless(name, value, element) {
  return Object.hasOwn(RULES, name) ? RULES[name](value, element) : PLAIN.has(name) || OURS.test(name);
}

function words(text) {
  return new Set(text.split(/\s+/));
}

function getter(prototype, name) {
  const { get } = Object.getOwnPropertyDescriptor(prototype, name);
  return (node) => get.call(node);
}
