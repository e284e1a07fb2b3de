/** The page's style: system fonts, dark on white, one column on a phone, whole tables on paper. Nothing is told by colour alone. */
export const style = `
:root { --line: #bbb; --soft: #555; --tint: #f3f6f9; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 70rem; padding: 1rem; font: 1rem/1.5 system-ui, sans-serif; color: #111; background: #fff; overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; line-height: 1.2; margin: .5rem 0 1rem; }
h2 { font-size: 1.15rem; margin: 1.2rem 0 .4rem; }
p { margin: .4rem 0; max-width: 46rem; }
a { color: #004c86; }
.first p { max-width: 60rem; } .first h2 { margin-top: .7rem; }
.first { background: var(--tint); border-left: .3rem solid #0072b2; padding: .2rem 1rem .8rem; }
nav ul { columns: 16rem; padding-left: 1.2rem; margin: 0; }
figure { margin: 1.5rem 0; break-inside: avoid; }
.drawing svg { max-width: 100%; height: auto; }
figcaption, .note { color: var(--soft); font-size: .9rem; max-width: 46rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-size: .85rem; font-variant-numeric: tabular-nums; overflow-wrap: normal; }
caption { text-align: left; caption-side: top; color: var(--soft); padding-bottom: .3rem; }
th, td { border-bottom: 1px solid var(--line); padding: .3rem .5rem; text-align: right; vertical-align: top; }
thead th { border-bottom: 2px solid #333; vertical-align: bottom; min-width: 4.5rem; }
th[scope=row] { text-align: left; font-weight: normal; }
thead th.label, td.why, thead th:last-child { text-align: left; }
td.why { min-width: 14rem; max-width: 24rem; color: var(--soft); }
td small, th small { display: block; color: var(--soft); font-weight: normal; }
td.differs::before { content: "\\2260\\00a0"; }
#table-not-in-this-run td, #table-not-in-this-run th { text-align: left; min-width: 8rem; }
@media print { body { max-width: none; padding: 0; font-size: 9pt; } nav { display: none; } .wide { overflow: visible; } table { font-size: 6.5pt; } td.why { min-width: 6rem; } th, td { padding: .1rem .2rem; min-width: 0 !important; } tr { break-inside: avoid; } thead { display: table-header-group; } @page { margin: 1.2cm; size: A4 landscape; } }
`;
