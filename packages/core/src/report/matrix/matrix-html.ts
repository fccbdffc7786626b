import type { Caveat } from "../../state/caveat.js";
import type { Matrix } from "../../analysis/matrix/matrix.js";
import type { Reasons } from "../../analysis/matrix/reasons.js";
import { escapeMarkup } from "../markup.js";
import { pageData } from "./matrix-page-data.js";
import { pageScript } from "./matrix-page-script.js";
import { pageStyle } from "./matrix-page-style.js";
import { pictureOf } from "./matrix-picture.js";
import { headline, summaryOf } from "./matrix-summary.js";
import { matrixSvg } from "./matrix-svg.js";

/** One file that needs no other: the picture, a list to search and sort, and who decides about each connection. */
export function* matrixHtml(
  matrix: Matrix,
  reasons: Reasons,
  caveats: readonly Caveat[] = [],
): Iterable<string> {
  const picture = pictureOf(matrix);
  const summary = summaryOf(matrix);
  yield `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<title>Who can reach whom</title>
<style>${pageStyle}</style>
</head>
<body>
<header>
<h1>Who can reach whom</h1>
<p>${escapeMarkup(`${headline(summary)}, among ${summary.parties}`)}</p>
${caveats.map(({ text }) => `<p class="caveat">Caveat: ${escapeMarkup(text)}</p>`).join("\n")}
</header>
<main>
<div>
<figure id="picture">`;
  yield* matrixSvg(picture, { heading: false });
  yield `</figure>
<section id="list">
<form id="filters" role="search">
<input id="search" type="search" placeholder="Search: shop/cart 8443" aria-label="Search connections" autocomplete="off">
<select id="look" aria-label="Show">
<option value="open">what can connect</option>
<option value="">everything</option>
<option value="all">every port</option>
<option value="some">some ports</option>
<option value="partly">some pods only</option>
<option value="undecided">undecided</option>
<option value="none">nothing</option>
</select>
<button id="pair" type="button" hidden></button>
<output id="count"></output>
</form>
<table>
<thead><tr><th data-column="0"><button type="button">from</button></th><th data-column="1"><button type="button">to</button></th><th data-column="2"><button type="button">ports</button></th></tr></thead>
<tbody id="rows"></tbody>
</table>
<button id="more" type="button" hidden>Show more</button>
</section>
</div>
<aside id="details" aria-live="polite"><p class="hint">Choose a connection, or a cell of the picture, to see which rules decide about it.</p></aside>
</main>`;
  // Nothing in it can end the element: `<` is written as an escape.
  const data = JSON.stringify(pageData(matrix, picture, reasons)).replaceAll("<", "\\u003c");
  yield `<script id="data" type="application/json">${data}</script>`;
  yield `<script>${pageScript}</script>`;
  yield "</body>\n</html>";
}
