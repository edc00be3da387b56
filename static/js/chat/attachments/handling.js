// What attachments need once there are some: their preparation, the upload, and the chips.

export { makeChip, updateChip } from "./chip.js";
export { prepare } from "./prepare.js";
export { startUpload } from "./upload.js";
