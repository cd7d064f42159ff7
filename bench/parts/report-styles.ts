/** The colours, except `--track`, and the sizes of texts are those of `web/ui/tokens.css`. */
export const styles = `
:root {
  color-scheme: light dark;
  --page: #fbfaf9; --surface: #ffffff; --ink: #1c1b1a; --muted: #6b6864; --line: rgb(28 27 26 / 0.09);
  --track: #efece8; --accent: #2f6f6a; --danger: #b0332b; --success: #2c7048;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #161718; --surface: #1d1f21; --ink: #e9e8e6; --muted: #9b9a97; --line: rgb(255 255 255 / 0.09);
    --track: #2b2e31; --accent: #7fc4bd; --danger: #f1948b; --success: #85c99b;
  }
}
* { box-sizing: border-box; margin: 0; }
html { scroll-padding-top: 16px; }
body {
  background: var(--page); color: var(--ink); font: 14px/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif;
  font-variant-numeric: tabular-nums; max-width: 1120px; margin: 0 auto; padding: 40px 24px 80px;
}
h1 { font-size: 28px; line-height: 36px; font-weight: 650; }
h2 { font-size: 18px; line-height: 28px; font-weight: 650; }
h3 { font-size: 14px; font-weight: 600; }
a { color: var(--accent); text-underline-offset: 2px; }
a:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
b { font-weight: 600; }
.muted, .conditions, .key { color: var(--muted); }
.conditions { margin-bottom: 8px; }
header p { margin-top: 4px; }
nav { display: flex; flex-wrap: wrap; gap: 4px 16px; margin: 16px 0; }
.key { display: flex; flex-wrap: wrap; align-items: center; gap: 4px 20px; font-size: 12px; }
.key span { display: flex; align-items: center; gap: 8px; }
.key svg { flex: none; }
section { background: var(--surface); border: 1px solid var(--line); border-radius: 12px; padding: 20px 24px 8px; margin-top: 24px; }
.figure {
  display: grid; grid-template-columns: minmax(0, 1fr) 230px; gap: 4px 24px; padding: 12px 0; border-top: 1px solid var(--line);
}
.figure h3 { grid-column: 1 / -1; }
ul { list-style: none; padding: 0; display: grid; gap: 4px; grid-column: 1; align-content: center; min-width: 0; }
li {
  display: grid; grid-template-columns: 150px 160px 190px minmax(0, 1fr); gap: 0 20px; align-items: center;
}
.notes { font-size: 12px; min-width: 0; }
.plot { display: flex; }
.plot svg { width: 160px; height: 12px; }
.growth-line { display: flex; align-items: center; gap: 12px; font-size: 12px; grid-column: 2; }
.growth-line span span { display: block; }
.growth-line svg { flex: none; }
.is-met { color: var(--success); font-weight: 600; }
.is-missed { color: var(--danger); font-weight: 600; }
nav .is-missed { font-size: 12px; }
.track { fill: var(--track); }
.met { fill: var(--accent); }
.missed { fill: var(--danger); }
.goal { stroke: var(--ink); stroke-width: 2; vector-effect: non-scaling-stroke; }
.cut { stroke: var(--surface); stroke-width: 2; fill: none; vector-effect: non-scaling-stroke; }
.linear { stroke: var(--muted); stroke-width: 1; stroke-dasharray: 3 3; opacity: 0.8; }
.growth { stroke: var(--accent); stroke-width: 2; fill: none; stroke-linecap: round; }
.dot { fill: var(--accent); }
@media (max-width: 860px) {
  body { padding: 24px 12px 48px; }
  section { padding: 16px 16px 4px; }
  .figure { grid-template-columns: minmax(0, 1fr); gap: 8px; }
  li { grid-template-columns: minmax(0, 1fr) 160px; gap: 2px 12px; padding: 4px 0; align-items: start; }
  .plot { grid-column: 2; grid-row: 1; }
  .value { grid-column: 1; }
  .notes { grid-column: 2; }
  .growth-line { grid-column: 1; }
  nav a { padding: 10px 0; }
}
`
