// The charts of usage can be read with the pointer and with the arrow keys.

import { watchCharts } from "../dashboard/charts.js";

const charts = document.getElementById("usage-charts");
if (charts) watchCharts(charts);
