// What rendered Markdown can do. The server's HTML has no words of the interface in it: these
// elements fill themselves wherever they come to stand. `morph` leaves their content alone.

import "./callout_name.js";
import "./code_tools.js";
import "./remote_image.js";
import "./table_tools.js";
import { watchCopying } from "./copied_text.js";
import { watchFootnotes } from "./footnotes.js";

watchCopying(document);
watchFootnotes(document);
