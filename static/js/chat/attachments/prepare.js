// Prepares a file for upload: scales large images down, converts image types that no model reads, and
// leaves other files unchanged. The server decides by the bytes.

import { gettext } from "../../base/i18n.js";
import { MOST_BYTES, TAKEN, fitted, noteOf, renamed, staysAsItIs } from "./scale.js";

const QUALITY = 0.9;
const NO_IMAGE = gettext("This image cannot be read. Supported: PNG, JPEG, GIF and WebP.");

// Throws Error with a sentence.
export async function prepare(document, file) {
  const asItIs = { blob: file, name: file.name, note: "" };
  if (!file.type.startsWith("image/") || file.type === "image/svg+xml") return asItIs;
  const image = await decode(file);
  if (image === null) {
    if (TAKEN.has(file.type)) return asItIs;
    throw new Error(NO_IMAGE);
  }
  try {
    return staysAsItIs(file, image) ? asItIs : await smaller(document, file, image);
  } finally {
    image.close();
  }
}

async function decode(file) {
  try {
    return await createImageBitmap(file);
  } catch {
    return null;
  }
}

async function smaller(document, file, image) {
  const before = { width: image.width, height: image.height };
  const after = fitted(before);
  const blob = await draw(document, file.type, image, after);
  if (blob === null) throw new Error(NO_IMAGE);
  const note = noteOf(before, after);
  return { blob, name: renamed(file.name, blob.type), note };
}

// Images that may be transparent stay PNG, unless that is too large.
async function draw(document, type, image, { width, height }) {
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext("2d");
  context.imageSmoothingQuality = "high";
  if (type === "image/png" || type === "image/webp") {
    context.drawImage(image, 0, 0, width, height);
    const blob = await encode(canvas, "image/png");
    if (blob !== null && blob.size <= MOST_BYTES) return blob;
  }
  context.fillStyle = "white";
  context.fillRect(0, 0, width, height);
  context.drawImage(image, 0, 0, width, height);
  return encode(canvas, "image/jpeg");
}

function encode(canvas, type) {
  return new Promise((resolve) => canvas.toBlob(resolve, type, QUALITY));
}
