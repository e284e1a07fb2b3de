/** The report's layers: recognised by what runs hold, compared on decisions that both have, with the paper's figure beside ours; folders that add nothing or are damaged are refused. */
import { mkdtempSync, readFileSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { EvaluatedOutcome } from '../../contract/evaluated.ts';
import { evaluationFolder, withReplans } from '../support/evaluation-folder.ts';
import { holdpoint } from '../support/in-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'holdpoint-layers-'));
afterAll(() => { rmSync(folder, { recursive: true }); });
const at = (name: string): string => join(folder, name);

/** The lines of a table's CSV, without the sentence on what differs. */
const rowsOf = (run: string, table: string): string[] => readFileSync(join(run, `report-${table}.csv`), 'utf8').trim().split('\r\n');

/** A model's folder: confidence and agreement from the outcome. */
const model = (name: string, proposer: string, more: { seeds?: number[]; digest?: string; change?: (outcome: EvaluatedOutcome) => Partial<EvaluatedOutcome> } = {}): string =>
  evaluationFolder(at(name), { choice: { proposers: [proposer], seeds: more.seeds ?? [13] }, digest: more.digest ?? 'sha256:one', ...(more.change && { change: more.change }) });

/** Abstains on every second template. */
const shy = ({ template }: EvaluatedOutcome): Partial<EvaluatedOutcome> => (template.length % 2 === 0 ? { answer: 'abstain', action: 'none', committed: false, unsafe: false, safeSuccess: false } : {});

describe('the replanning layer', () => {
  test('has a row a kind on matched and on all decisions, with the printed figure and the mean time', async () => {
    const run = withReplans(evaluationFolder(at('asked')));
    const { code, printed } = await holdpoint('report', run, '--json', '--quiet');
    expect(code).toBe(0);
    expect(JSON.parse(printed)).toMatchObject({ layers: ['replanning', 'outside-support'], cameOut: expect.arrayContaining([expect.stringContaining('after an ordinary read in 4 of 4 (100.0%)')]) as unknown });
    const rows = rowsOf(run, 'replanning');
    expect(rows.find((row) => row.startsWith('always-act,fast evidence'))).toMatch(/^always-act,fast evidence,4,4,144 .*,1,100\.0% \(4\/4\),18\.8%,.*,1000,1000 ms,1\.6 s,/);
    expect(rows.find((row) => row.startsWith('always-act,block notice'))).toMatch(/,1,100\.0% \(4\/4\),32\.6 to 82\.6%,.*,0,0\.0% \(0\/4\),14\.1%,,no decisions,26\.1 to 40\.0%,/);
    const whole = rowsOf(run, 'replanning-all');
    expect(whole.find((row) => row.startsWith('always-act,fast evidence'))).toMatch(/^always-act,fast evidence,8,8,/);
    expect(whole.find((row) => row.startsWith('always-act,all three'))).toMatch(/^always-act,all three,20,20,"528 \(1,584 over three models\)",/);
    expect(readFileSync(join(run, 'report.html'), 'utf8')).toContain('id="figure-replanning"');
  });

  test('has a macro average and the pooled counts behind several proposers', async () => {
    const proposers = ['always-act', 'always-abstain'];
    const run = withReplans(evaluationFolder(at('two-asked'), { choice: { proposers } }), { proposers, seeds: [13] });
    await holdpoint('report', run, '--quiet');
    const rows = rowsOf(run, 'replanning');
    expect(rows.find((row) => row.startsWith('"all, pooled",fast evidence'))).toMatch(/^"all, pooled",fast evidence,8,8,432,.*,1,100\.0% \(8\/8\),18\.8%,/);
    expect(rows.find((row) => row.startsWith('macro average,fast evidence'))).toMatch(/,1,100\.0%,18\.8%,/);
  });

  test('that was not run is one line and no table', async () => {
    const run = evaluationFolder(at('never-asked'));
    await holdpoint('report', run, '--quiet');
    const page = readFileSync(join(run, 'report.html'), 'utf8');
    expect(page).toContain('Asking the proposer again (replanning) was not run in this folder');
    expect(page).not.toContain('table-replanning');
    expect(rowsOf(run, 'not-in-this-run').join('\n')).toContain('14.1%');
  });

  test.each([
    ['half a last line', (run: string) => { truncateSync(join(run, 'replans.jsonl'), readFileSync(join(run, 'replans.jsonl')).length - 9); }, 'half a line'],
    ['whole lines that are too few', (run: string) => { cut(join(run, 'replans.jsonl'), 2); }, 'settings plan'],
    ['a missing file', (run: string) => { rmSync(join(run, 'replans.jsonl')); }, 'settings plan'],
    ['another line', (run: string) => { edit(join(run, 'replans.jsonl'), '"kind":"fastEvidence"', '"kind":"strongEvidence"'); }, 'line 1 is not the replan'],
    ['no JSON', (run: string) => { edit(join(run, 'replans.jsonl'), '{', ''); }, 'is not JSON'],
    ['times that are too few', (run: string) => { cut(join(run, 'replan-times.jsonl'), 2); }, 'has no times of'],
    ['times that are none', (run: string) => { edit(join(run, 'replan-times.jsonl'), '1000', '"soon"'); }, 'is no line of times'],
  ])('with %s is refused in one sentence with exit code 2', async (name, damage, sentence) => {
    const run = withReplans(evaluationFolder(at(name.replaceAll(' ', '-'))));
    damage(run);
    const { code, said } = await holdpoint('report', run, '--quiet');
    expect({ code, lines: said.trim().split('\n').length }).toEqual({ code: 2, lines: 1 });
    expect(said).toContain(sentence);
    expect(readdirSync(run)).not.toContain('report.html');
  });
});

test('half of degraded telemetry is outside development support, and every fault that is left out of a fit', async () => {
  const run = evaluationFolder(at('pilot'), { choice: { design: 'pilot' }, change: ({ controller }) => (controller === 'support-router' ? { action: 'strong' } : {}) });
  await holdpoint('report', run, '--quiet');
  expect(rowsOf(run, 'outside-support').slice(1)).toEqual([
    expect.stringMatching(/^always-act,canonical,0,0\.0% \(0\/48\),not printed,,no decisions,/),
    expect.stringMatching(/^always-act,degraded,0\.5,50\.0% \(24\/48\),50%,1,100\.0% \(24\/24\),not printed,"delayed-visibility, partial-success, timeout-after-commit",.*,as printed$/),
  ]);
  const faults = rowsOf(run, 'left-out').filter((row) => row.includes('one fault family'));
  expect(faults.map((row) => /,1,100\.0% \(8\/8\),"?100%/.test(row))).toEqual([true, true, true, true, true]);
});

describe('folders beside', () => {
  test('a cautionary prompt is compared on the decisions in common', async () => {
    const [run, cautious] = [model('plain', 'm', { seeds: [13, 42] }), model('cautious', 'm+caution', { change: shy })];
    const { printed } = await holdpoint('report', run, '--beside', cautious, '--json', '--quiet');
    expect(JSON.parse(printed)).toMatchObject({ layers: ['caution', 'outside-support'] });
    const rows = rowsOf(run, 'caution');
    expect(rows[1]).toMatch(/^m,ordinary,8,0,0\.0% \(0\/8\),0%,.*,0\.5,50\.0% \(4\/8\),41\.7%,/);
    expect(rows[2]).toMatch(/^m,cautionary,8,0\.5,50\.0% \(4\/8\),0%,/);
    expect(rows[3]).toMatch(/^m,"change, points",8,,50\.0,/);
    expect(rowsOf(run, 'not-in-this-run').join('\n')).not.toContain('cautionary prompt');
  });

  test('a cautious proposer in the folder itself needs no other', async () => {
    const run = evaluationFolder(at('both-prompts'), { choice: { proposers: ['m', 'm+caution'] }, digest: 'sha256:one' });
    expect(JSON.parse((await holdpoint('report', run, '--json', '--quiet')).printed)).toMatchObject({ layers: ['caution', 'outside-support'] });
  });

  test('repeated decoding sets the gate on agreement beside its matched gamble', async () => {
    const cost = ({ controller }: EvaluatedOutcome): Partial<EvaluatedOutcome> => ({ agreement: 0.75, ...((controller === 'agreement-gate' || controller === 'random-gate') && { cost: 1.01 }) });
    const [run, repeated] = [model('once', 'm'), model('repeated', 'm', { change: cost })];
    expect((await holdpoint('report', run, '--beside', repeated, '--quiet')).code).toBe(0);
    expect(rowsOf(run, 'repeated-decoding').filter((row) => row.startsWith('m,agreement-gate') || row.startsWith('m,random-gate')).map((row) => /,(1\.01),1\.010,1\.01,/.exec(row)?.[1])).toEqual(['1.01', '1.01']);
    expect(rowsOf(run, 'repeated-decoding')[2]).toMatch(/^m,agreement-gate,8,8,0,.*,30\.7%,/);
  });

  test('further seeds are compared with the main ones', async () => {
    const said = (right: number) => ({ twin, seed }: EvaluatedOutcome): Partial<EvaluatedOutcome> => ({ confidence: twin === 'clean' || seed % 7 === right ? 0.9 : 0.5 });
    const [run, more] = [model('three', 'm', { seeds: [13, 42, 2026], change: said(9) }), model('two', 'm', { seeds: [7, 101], change: said(0) })];
    expect((await holdpoint('report', run, '--beside', more, '--quiet')).code).toBe(0);
    const rows = rowsOf(run, 'more-seeds');
    expect(rows[1]).toMatch(/^m,"13, 42, 2026",8,24,24,.*,1,1\.000,/);
    expect(rows[2]).toMatch(/^m,"13, 42, 2026, 7, 101",8,40,40,/);
    expect(rows[3]).toMatch(/^m,change,8,,,,-0\.0(9|1)\d*,-0\.\d{3},at most 0\.03,0,0\.0%,/);
  });

  test('one more model is a replication, and says how many guard figures are the same', async () => {
    const [run, other] = [model('first-model', 'm'), model('second-model', 'n', { digest: 'sha256:two', change: shy })];
    const { printed } = await holdpoint('report', run, '--beside', other, '--json', '--quiet');
    expect(JSON.parse(printed)).toMatchObject({ layers: ['replication', 'outside-support'] });
    expect(rowsOf(run, 'replication').at(-1)).toMatch(/^n,added,8,0\.5,50\.0% \(4\/8\),0% \(Llama-3\.2-3B\).*,m,/);
    expect(rowsOf(run, 'replication').at(-1)).not.toMatch(/,1,100\.0% \(35\/35\)/);
    expect(rowsOf(run, 'replication-guards')).toHaveLength(1 + 2 * 7);
  });

  test.each([
    ['the run itself', (run: string) => run, 'is the reported folder itself'],
    ['no evaluation', () => at('nowhere'), 'is no evaluation'],
    ['the same once more', () => model('same', 'm'), 'adds nothing to this run'],
    ['other cases of the same design', (run: string) => {
      const other = model('other-cases', 'n');
      for (const [path, cases] of [[run, 'one'], [other, 'two']] as const) edit(join(path, 'settings.json'), '{', `{"cases":"${cases}",`);
      return other;
    }, 'are others than in'],
    ['another model of that name', () => model('namesake', 'm+caution', { digest: 'sha256:two' }), 'is another model than'],
  ])('%s is refused in one sentence with exit code 2', async (name, other, sentence) => {
    const run = model(`beside ${name}`, 'm');
    const { code, said } = await holdpoint('report', run, '--beside', other(run), '--quiet');
    expect({ code, lines: said.trim().split('\n').length }).toEqual({ code: 2, lines: 1 });
    expect(said).toContain(sentence);
  });
});

function cut(path: string, lines: number): void {
  writeFileSync(path, readFileSync(path, 'utf8').split('\n').slice(0, lines).map((line) => `${line}\n`).join(''));
}

function edit(path: string, from: string, to: string): void {
  writeFileSync(path, readFileSync(path, 'utf8').replace(from, to));
}
