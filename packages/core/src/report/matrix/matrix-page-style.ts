/** The looks of the page: calm, dense, one accent; red is for denied, amber for undecided. */
export const pageStyle = `
:root { --ink: #1a202c; --soft: #5b6675; --line: #e3e8ee; --band: #f3f6fa; --accent: #2457c5; --bad: #b42318; --unsure: #a86200; --good: #1b7f4b; }
* { box-sizing: border-box; }
body { margin: 0; color: var(--ink); background: #fff; font: 14px/1.45 ui-sans-serif, system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
header { padding: 22px 28px 10px; }
h1 { font-size: 22px; margin: 0; }
header p { margin: 2px 0 0; color: var(--soft); }
main { display: grid; grid-template-columns: minmax(0, 1fr) 420px; gap: 0 24px; padding: 6px 28px 28px; align-items: start; }
#picture { margin: 0 0 18px; overflow: auto; max-height: 78vh; border: 1px solid var(--line); border-radius: 10px; }
#picture svg { cursor: pointer; display: block; }
.frame { fill: none; stroke: var(--ink); stroke-width: 2; }
#filters { position: sticky; top: 0; z-index: 1; display: flex; flex-wrap: wrap; gap: 8px; align-items: center; padding: 10px 0; background: #fff; }
input, select, #pair, #more { font: inherit; color: inherit; padding: 6px 10px; border: 1px solid #c9d1da; border-radius: 6px; background: #fff; }
input { flex: 1 1 240px; min-width: 160px; }
#pair { border-color: var(--accent); color: var(--accent); cursor: pointer; }
#pair::after { content: " \\00d7"; }
output { color: var(--soft); }
table { width: 100%; border-collapse: collapse; table-layout: fixed; }
th { text-align: left; padding: 0; border-bottom: 1px solid #c9d1da; }
th button { all: unset; cursor: pointer; padding: 6px 8px; font-weight: 650; }
th button:focus-visible, tr:focus-visible, #more:focus-visible { outline: 2px solid var(--accent); outline-offset: -2px; }
th[aria-sort="ascending"] button::after { content: " \\2191"; }
th[aria-sort="descending"] button::after { content: " \\2193"; }
td { padding: 5px 8px; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; vertical-align: top; }
td:last-child, code, .ports { font-family: ui-monospace, "SF Mono", Menlo, Consolas, monospace; font-size: 12.5px; }
tbody tr { cursor: pointer; }
tbody tr:hover { background: var(--band); }
tbody tr[aria-selected="true"] { background: #e7eefc; }
tr.none td:last-child { color: var(--bad); }
tr.undecided td:last-child { color: var(--unsure); }
.mark { display: inline-block; width: 10px; height: 10px; margin-right: 8px; border-radius: 2px; border: 1px solid var(--accent); }
.all .mark { background: var(--accent); }
.some .mark { background: #fff; box-shadow: inset 0 0 0 2px #fff, inset 0 0 0 9px #7fa3ea; }
.partly .mark { background: repeating-linear-gradient(45deg, var(--accent) 0 2px, #e4ecfb 2px 4px); }
.undecided .mark { border-color: var(--unsure); background: #fdf1dc; }
.none .mark { border-color: #c9d1da; background: #fff; }
#more { margin: 12px 0; cursor: pointer; }
#details { position: sticky; top: 10px; max-height: calc(100vh - 20px); overflow: auto; padding: 16px 18px; border: 1px solid var(--line); border-radius: 10px; background: var(--band); }
#details h2 { font-size: 16px; margin: 0 0 10px; overflow-wrap: anywhere; }
#details h3 { font-size: 13px; margin: 16px 0 4px; }
#details dl { margin: 0; }
#details dt { margin-top: 8px; overflow-wrap: anywhere; }
#details dd { margin: 0; color: var(--soft); overflow-wrap: anywhere; }
#details code { display: block; margin-top: 6px; padding: 8px; border: 1px solid var(--line); border-radius: 6px; background: #fff; overflow-wrap: anywhere; user-select: all; }
.hint { color: var(--soft); margin: 0; }
.Allow { color: var(--good); } .Deny { color: var(--bad); } .Undecided { color: var(--unsure); }
@media (max-width: 900px) { main { grid-template-columns: minmax(0, 1fr); } #details { position: static; grid-row: 1; } }
`;
