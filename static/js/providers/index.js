// The list of models: finding one among many.

import { enableFilters } from "./filtering.js";

enableFilters(document);
