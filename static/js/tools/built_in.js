// The page of the tools that ship with the program.

import { enableRows } from "./tool_rows.js";

enableRows(document.getElementById("tool-rows"));
