/** An account as one page that asks for nothing from anywhere: its style and drawing are in it, a script is not. */
import type { Account } from './account.ts';
import { drawTimeline } from './draw.ts';
import { escaped } from './escape.ts';
import { sourceText } from './text.ts';

const style = `body{font:16px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem;color:#1a1a1a;background:#fff}h1{font-size:1.4rem}h2{font-size:1.1rem;margin-top:2rem}
table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;padding:.25rem .75rem .25rem 0;border-bottom:1px solid #ddd}td:last-child{overflow-wrap:anywhere}
svg{width:100%;height:auto;font:12px system-ui,sans-serif}.lane{font-weight:600}.rail{stroke:#ccc}.path{fill:none;stroke:#999}.held{fill:#fff4d6}circle{fill:#1f5fa8}.time{fill:#555}
.bad circle{fill:#b00020}.bad text,.no{fill:#b00020;color:#b00020;font-weight:600}.answer{font-size:1.1rem;border-left:4px solid #b00020;padding-left:1rem}.answer.right{border-color:#2e7d32}.scroll{overflow-x:auto}`;

/** The page. Everything that is not ours is escaped. */
export function accountHtml(account: Account): string {
  const { explanation, cannotKnow, contradictions, costs } = account;
  const { episodeId, caseId, model, guard, verdict, answer, remedy, tool, proposed, timeline, clauses, guards, rows, doubts } = explanation;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="color-scheme" content="light">
<title>${escaped(`${episodeId}: ${verdict}`)}</title>
<style>${style}</style>
</head>
<body>
<h1>${escaped(episodeId)}</h1>
<p>${escaped(`${caseId} by ${model}, guard ${guard}. ${sourceText(account)}`)}</p>
<p class="answer${verdict === 'leak' ? '' : ' right'}">${escaped(answer)}${remedy === null ? '' : `<br>${escaped(remedy.text)}`}</p>
${tool === null ? '' : `<p>Proposed: <code>${escaped(`${tool} ${proposed === null ? '' : JSON.stringify(proposed)}`)}</code></p>`}
<h2>Timeline</h2>
<div class="scroll">${drawTimeline(timeline, verdict === 'leak')}</div>
<p>Shaded: from the first proposal to the last lock. Red: what the read did not have, and a commit that leaked.</p>
${table('The same in words', ['time (UTC)', 'step', 'event', 'who', 'what'], timeline.map((one) => [one.at, one.step === null ? '' : String(one.step), one.event, one.who, one.text]))}
${clauses === null ? '' : table("Clauses at the commit's instant", ['clause', ''], Object.entries(clauses).map(([clause, held]) => [clause, held ? 'held' : 'did not hold']))}
${table('Rows that it rests on', ['row', 'read at version', 'found at'], rows.map((row) => [`${row.table}/${row.key}`, row.read, row.found ?? 'none']))}
${table("Guards at the commit's instant", ['guard', '', 'why'], guards.map((one) => [`${one.guard}${one.ran ? ' (ran)' : ''}`, one.lets === null ? 'unknown' : one.lets ? 'lets it through' : 'stops it', one.why]))}
${costs === null ? '' : table(`What each guard would have cost over the batch ${costs.batchId}`, ['guard', 'right commits blocked', 'leaks stopped'], costs.guards.map((one) => [one.guard, `${String(one.rightBlocked)}/${String(one.right)}`, `${String(one.leaksStopped)}/${String(one.leaks)}`]))}
${list('What cannot be known', cannotKnow)}
${list('What does not agree', [...(account.replay?.findings ?? []), ...contradictions, ...doubts])}
</body>
</html>
`;
}

function table(title: string, heads: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const body = rows.map((cells) => `<tr>${cells.map((cell) => `<td${['stops it', 'did not hold'].includes(cell) ? ' class="no"' : ''}>${escaped(cell)}</td>`).join('')}</tr>`).join('\n');
  return `<h2>${escaped(title)}</h2>\n<table><thead><tr>${heads.map((head) => `<th scope="col">${escaped(head)}</th>`).join('')}</tr></thead><tbody>\n${body}\n</tbody></table>`;
}

function list(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `<h2>${escaped(title)}</h2>\n<ul>${lines.map((text) => `<li>${escaped(text)}</li>`).join('')}</ul>`;
}
