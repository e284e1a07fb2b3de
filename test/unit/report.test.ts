/** The report: right figures beside the paper's, no NaN, nothing of a model's text as markup, the same bytes twice, and a sentence for every folder that is no run. */
import { mkdtempSync, readFileSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { agrees, printedFor } from '../../analysis/report/figure.ts';
import { isFigure, type Figure, type Report } from '../../analysis/report/model.ts';
import { escapeCsv, escapeHtml, escapeMarkdown } from '../../analysis/report/render/escape.ts';
import { buildReport } from '../../analysis/report/report.ts';
import { summarizeStudy } from '../../analysis/study/summarize-study.ts';
import { drawCharts } from '../../cli/report/draw.ts';
import { leftOutOf } from '../../cli/report/left-out.ts';
import { outsideSupportOf } from '../../cli/report/support.ts';
import { filesOf } from '../../cli/report/write.ts';
import type { EvaluatedOutcome } from '../../contract/evaluated.ts';
import { evaluationFolder } from '../support/evaluation-folder.ts';
import { holdpoint } from '../support/in-process.ts';
import { outcomeOf, referenceOutcomes } from '../support/study-outcomes.ts';

function reportOf(outcomes: readonly EvaluatedOutcome[]): Report {
  const proposers = [...new Set(outcomes.map(({ proposer }) => proposer))].map((name) => ({ name, digest: null }));
  return buildReport({ summary: summarizeStudy(outcomes, { resamples: 20 }), outcomes, leftOut: leftOutOf(outcomes), support: outsideSupportOf(outcomes), replans: null, beside: [], settings: { folder: 'f', design: 'main', seeds: [13, 42, 2026], telemetry: 'both', proposers } });
}
const reference = reportOf(referenceOutcomes());
const written = async (report: Report): Promise<ReadonlyMap<string, string>> => filesOf(report, await drawCharts(report.charts));
const files = await written(reference);
const page = files.get('report.html') ?? '';

/** The figure of a row that starts with the given labels. */
function figureAt(id: string, labels: readonly string[], head: string): Figure {
  const table = reference.tables.find((one) => one.id === id);
  const cell = table?.rows.find((row) => labels.every((label, n) => row[n] === label))?.[table.head.indexOf(head)];
  if (cell === undefined || !isFigure(cell)) throw new Error(`no figure at ${id} ${labels.join(' ')} ${head}`);
  return cell;
}

describe('figures beside the paper\'s', () => {
  test('those of an always-acting proposer agree wherever the paper prints them of always-acting models', () => {
    expect(figureAt('direct-execution', ['always-act'], 'unsafe commits')).toMatchObject({ text: '41.7% (480/1152)', paper: { text: '41.7%', scope: 'always-acting' }, why: null });
    expect(figureAt('guard-precision', ['always-act', 'version-guard'], 'safe success')).toMatchObject({ text: '43.2% (498/1152)', paper: { text: '43.2%' }, why: null });
    expect(figureAt('guard-precision', ['always-act', 'predicate-guard'], 'expected loss')).toMatchObject({ text: '3.344', paper: { text: '3.34 to 4.33' }, why: null });
    expect(figureAt('premium-sweep', ['always-act', 'break-even c_p'], 'always-strong')).toMatchObject({ text: '4.000', why: null });
  });

  test('one that the paper averages over an abstaining model says so, and one that it does not print has none', () => {
    expect(figureAt('guard-precision', ['always-act', 'epoch-guard'], 'benign blocked: preserving')).toMatchObject({ value: 1, paper: { text: '94.6%' }, why: expect.stringContaining('Phi') as unknown });
    expect(figureAt('guard-precision', ['always-act', 'epoch-guard'], 'expected loss')).toMatchObject({ text: '7.510', paper: null });
    expect(page).toContain('paper: not printed');
  });

  test('are compared at the precision that is printed', () => {
    const paper = printedFor('cost/evidence-router/canonical', { alwaysActing: true, isMacro: false });
    expect(paper !== null && [1.833, 1.8251, 1.84, 1.82].map((value) => agrees(value, paper))).toEqual([true, true, false, false]);
    const range = printedFor('unsafe/support-router/degraded', { alwaysActing: true, isMacro: false });
    expect(range !== null && [0.0833, 0.0709, 0.085, null].map((value) => agrees(value, range))).toEqual([true, true, false, false]);
  });

  test('a smaller design and wrong arguments are named as what differs', () => {
    const few = reportOf([outcomeOf(), outcomeOf({ wrongEffect: true, safeSuccess: false, wrongArguments: true }, 1), outcomeOf({ answer: 'abstain', action: 'none', committed: false, safeSuccess: false }, 2)].map((outcome, n) => ({ ...outcome, seed: n })));
    const row = few.tables.find(({ id }) => id === 'direct-execution')?.rows[0]?.find((cell) => isFigure(cell) && cell.why !== null);
    expect(row).toMatchObject({ why: expect.stringMatching(/3 decisions, not 1,152.*acted on 2 of 3.*1 of its actions/) as unknown });
  });
});

describe('the first screen', () => {
  test('says what was tried, what came out, and what to use, from the outcomes', () => {
    const { tried, cameOut, use } = reference.firstScreen;
    expect(tried.join(' ')).toContain('1,152 decisions');
    expect(cameOut.join(' ')).toMatch(/480 of 1,152 decisions \(41\.7%\).*384 of the 672 right ones blocked in vain.*none of the 672/);
    expect(use[0]).toMatch(/^Use the predicate guard.*3\.34 a decision/);
  });

  test('recommends something else where the outcomes do: nothing is written into the sentences', () => {
    const worse = referenceOutcomes().map((outcome) => (outcome.controller === 'predicate-guard' ? { ...outcome, unsafe: true } : outcome));
    expect(reportOf(worse).firstScreen.use[0]).toMatch(/^Use the evidence router/);
  });
});

describe('every file', () => {
  test('is the same bytes twice, in any order of outcomes', async () => {
    expect([...await written(reportOf(referenceOutcomes().reverse()))]).toEqual([...files]);
  });

  test.each([['the reference', reference], ['all failed', reportOf([0, 1, 2].map((n) => outcomeOf({ answer: 'failed', action: 'none', committed: false, safeSuccess: false }, n)))], ['one proposer without confidence beside one with', reportOf([...referenceOutcomes(), ...referenceOutcomes('other').map((outcome) => ({ ...outcome, confidence: outcome.twin === 'hazardous' ? 0.6 : 0.95 }))])]])('shows no NaN, undefined or infinity: %s', async (_, report) => {
    for (const text of (await written(report)).values()) expect(text).not.toMatch(/\bNaN\b|\bundefined\b(?! for a proposer)|Infinity|\[object|>null</);
  });

  test('a page asks for nothing from anywhere and runs nothing', () => {
    expect(page).toContain("default-src 'none'");
    expect(page.replaceAll(/xmlns(:\w+)?="[^"]*"/g, '')).not.toMatch(/https?:|<script|<link|<iframe|@import|\bon\w+=|src=/i);
  });

  test('every chart has words, every table a caption and scopes, every id is there once', () => {
    expect(page.match(/<figure /g)).toHaveLength(reference.charts.length);
    expect(page.match(/role="img" aria-label="[^"]{40,}"/g)).toHaveLength(reference.charts.filter(({ spec }) => spec !== null).length);
    for (const { alternative } of reference.charts) expect(page).toContain(escapeHtml(alternative));
    expect(page.match(/<table /g)).toHaveLength(reference.tables.length);
    expect(page.match(/<caption>[^<]+/g)).toHaveLength(reference.tables.length);
    expect(page).not.toMatch(/<th(?! scope|ead)/);
    const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('text of a model is text everywhere', async () => {
    const evil = '</script><img src=x onerror=alert(1)>|[a](javascript:x)\n# h,"\u202e';
    const all = await written(reportOf(referenceOutcomes(evil)));
    const evilPage = all.get('report.html') ?? '';
    expect(evilPage).not.toMatch(/<img|<\/script|\u202e/);
    expect(evilPage).toContain('&lt;img src=x');
    expect(all.get('report.md')).not.toMatch(/<img|\n# h|(?<!\\)\[a\]/);
    for (const [name, text] of all) if (name.endsWith('.csv')) for (const line of text.split('\r\n')) expect(line).not.toMatch(/\n|\u202e/);
  });

  test('each writer escapes its own way', () => {
    expect(escapeHtml('<a href="x">&\'')).toBe('&lt;a href=&quot;x&quot;&gt;&amp;&#39;');
    expect(escapeMarkdown('a|b <i> [x](y) `c`')).toBe('a\\|b &lt;i&gt; \\[x\\](y) \\`c\\`');
    expect(['=1+1', '-cmd', '-0.5', '+1', '@x', 'a,"b"'].map(escapeCsv)).toEqual(["'=1+1", "'-cmd", '-0.5', "'+1", "'@x", '"a,""b"""']);
  });
});

describe('the command', () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdpoint-report-'));
  afterAll(() => { rmSync(folder, { recursive: true }); });
  const runFolder = (name: string, change: Partial<EvaluatedOutcome> = {}): string => evaluationFolder(join(folder, name), { change: () => change });

  test('writes the page, the markdown and a CSV a table, and prints the first screen as JSON', async () => {
    const path = runFolder('good');
    const { code, printed } = await holdpoint('report', path, '--json', '--quiet');
    expect(code).toBe(0);
    expect(JSON.parse(printed)).toMatchObject({ page: join(path, 'report.html'), allFailed: false });
    const names = readdirSync(path);
    expect(names).toEqual(expect.arrayContaining(['report.html', 'report.md', 'report-guard-precision.csv', 'report-left-out.csv']));
    expect(names.filter((name) => name.endsWith('.part'))).toEqual([]);
    const before = readFileSync(join(path, 'report.html'), 'utf8');
    await holdpoint('report', path, '--quiet');
    expect(readFileSync(join(path, 'report.html'), 'utf8')).toBe(before);
  });

  test('a run in which every answer failed has a report and exit code 1', async () => {
    const path = runFolder('failed', { answer: 'failed', action: 'none', committed: false, safeSuccess: false, blockedBy: 'no_proposal' });
    const { code, said } = await holdpoint('report', path, '--quiet');
    expect(code).toBe(1);
    expect(said.trim().split('\n')).toHaveLength(1);
    expect(readFileSync(join(path, 'report.html'), 'utf8')).toContain('Nothing follows from this run');
  });

  test.each([
    ['no folder', () => join(folder, 'nowhere'), 'is no evaluation'],
    ['another file as settings', () => { const path = runFolder('settings'); writeFileSync(join(path, 'settings.json'), '{"format":9}'); return path; }, 'is not what'],
    ['an empty run', () => { const path = runFolder('empty'); writeFileSync(join(path, 'outcomes.jsonl'), ''); return path; }, 'has no outcomes'],
    ['half a last line', () => { const path = runFolder('torn'); const file = join(path, 'outcomes.jsonl'); truncateSync(file, readFileSync(file).length - 9); return path; }, 'half a line'],
    ['whole lines that are too few', () => { const path = runFolder('short'); const file = join(path, 'outcomes.jsonl'); writeFileSync(file, readFileSync(file, 'utf8').split('\n').slice(0, 40).map((line) => `${line}\n`).join('')); return path; }, 'settings plan'],
    ['a line that is no outcome', () => { const path = runFolder('odd'); const file = join(path, 'outcomes.jsonl'); writeFileSync(file, readFileSync(file, 'utf8').replace('"cost":0', '"cost":"0"')); return path; }, 'line 1 is no outcome: cost'],
    ['a line that is no JSON', () => { const path = runFolder('damaged'); const file = join(path, 'outcomes.jsonl'); writeFileSync(file, readFileSync(file, 'utf8').replace('{', '')); return path; }, 'is not JSON'],
  ])('%s is refused in one sentence with exit code 2', async (_, make, sentence) => {
    const path = make();
    const { code, said, printed } = await holdpoint('report', path, '--quiet');
    expect({ code, lines: said.trim().split('\n').length, printed }).toEqual({ code: 2, lines: 1, printed: '' });
    expect(said).toContain(sentence);
  });
});
