// What stages and payloads can do on any page that shows them: read by parts, wrap, trees.

import "./json_tree.js";
import "./reader.js";
import { watchWrap } from "./wrap.js";

watchWrap(document);
