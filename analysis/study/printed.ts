/** What the paper prints, with its place in the text: data to set beside our figures, never part of one. Source: "Stale Does Not Mean Unsafe: Guard Precision for Tool-Using LLM Agents under Infrastructure State Races". */

/**
 * Of whom a printed figure speaks. `always-acting`: its models that never abstain (Qwen3-4B, Gemma4-8B; Llama-3.2-3B in the replication), alike by its text.
 * `macro`: the mean over Qwen3-4B, Phi-4-mini and Gemma4-8B. It is also taken where
 * the text does not say of whom it speaks and no always-acting model could have the figure. `models`: a figure or range that it gives for each model.
 * `pooled`: counted over the three models' decisions together. `design`: of the cases, whoever proposes.
 */
export type PrintedScope = 'always-acting' | 'macro' | 'models' | 'pooled' | 'design';

/** One figure as printed. `value`: shares from 0 to 1, costs and losses in verification units, a range as its two ends, a name as text. */
export type Printed = { readonly scope: PrintedScope; readonly value: number | string | readonly [number, number]; readonly text: string; readonly place: string };

const [direct, central, premium, clauses, routers, design] = [
  'results, direct execution (Table III)', 'results, guard precision (Tables IV and VII, Fig. 2)', 'results, c_p sweep (Table IX)',
  'results, incomplete contracts (Table VIII)', 'results, evidence routing (Table VI)', 'fault injection, race taxonomy',
];
const [asked, cautioned] = ['results, replanning (Table X)', 'results, cautionary prompt (Table XI)'];
const share = (scope: PrintedScope, percent: number, place: string): Printed => ({ scope, value: percent / 100, text: `${String(percent)}%`, place });
const count = (value: number): Printed => ({ scope: 'design', value, text: value.toLocaleString('en-US'), place: design });
const number = (scope: PrintedScope, text: string, place: string): Printed => ({ scope, value: Number(text), text, place });
const range = (low: number, high: number, place: string): Printed => ({ scope: 'models', value: [low, high], text: `${low.toFixed(2)} to ${high.toFixed(2)}`, place });
const phi = (percent: number): Printed => ({ scope: 'models', value: percent / 100, text: `${String(percent)}% (Phi-4-mini)`, place: cautioned });
const llama = (value: number, text: string): Printed => ({ scope: 'models', value, text: `${text} (Llama-3.2-3B)`, place: `${direct}, replication` });
const name = (value: string): Printed => ({ scope: 'macro', value, text: value, place: `${routers}, cost sensitivity` });

/** By result: `<measure>/<of what>`. Where a key has several figures, each speaks of other models. */
export const printed: Readonly<Record<string, readonly Printed[]>> = {
  'decisions': [count(1152)], 'decisions/pilot': [{ scope: 'design', value: 144, text: '144 (432 over three models)', place: design }], 'race/invalidating': [count(480)], 'race/preserving': [count(384)], 'race/irrelevant': [count(96)], 'race/clean': [count(192)],
  'valid': [share('models', 100, direct)],
  'abstained': [share('always-acting', 0, direct)],
  'unsafe/always-execute': [share('always-acting', 41.7, direct), share('macro', 39.3, direct)],
  'unsafe/agreement-gate': [share('macro', 30.7, direct)], 'unsafe/random-gate': [share('macro', 30.2, direct)],
  'cost/agreement-gate': [number('macro', '1.01', direct)], 'cost/random-gate': [number('macro', '1.01', direct)],
  'ece': [{ scope: 'models', value: 0.37, text: 'near 0.37 (Llama-3.2-3B: 0.292)', place: direct }],
  'auroc': [{ scope: 'models', value: 0.5, text: 'near chance, Phi below (Llama-3.2-3B: 0.536)', place: direct }],
  'unsafe/epoch-guard': [share('models', 0, central)], 'unsafe/version-guard': [share('models', 0, central)], 'unsafe/predicate-guard': [share('models', 0, central)], 'unsafe/always-strong': [share('models', 0, central)],
  'safeSuccess/epoch-guard': [share('always-acting', 34.9, central)], 'safeSuccess/version-guard': [share('always-acting', 43.2, central)],
  'safeSuccess/predicate-guard': [share('always-acting', 76.6, central)], 'safeSuccess/always-strong': [share('always-acting', 76.6, `${central}: "equal safety and availability"`)],
  'blockedPreserving/epoch-guard': [share('macro', 94.6, central)], 'blockedPreserving/version-guard': [share('macro', 94.6, central)], 'blockedPreserving/predicate-guard': [share('models', 0, central)],
  'blockedIrrelevant/epoch-guard': [share('macro', 91.7, central)], 'blockedIrrelevant/version-guard': [share('models', 0, central)], 'blockedIrrelevant/predicate-guard': [share('models', 0, central)],
  'blockedClean/predicate-guard': [share('models', 0, central)],
  'cost/predicate-guard': [number('models', '1', central)], 'cost/always-strong': [number('models', '4', central)],
  'loss/predicate-guard': [number('macro', '3.674', premium), range(3.34, 4.33, central)], 'loss/always-strong': [range(6.34, 7.33, central)], 'loss/version-guard': [number('macro', '6.828', premium)],
  'premium/predicate/1': [number('macro', '3.674', premium)], 'premium/predicate/4': [number('macro', '6.674', premium)],
  'premium/strong/4': [number('macro', '6.674', `${premium}: the predicate guard "ties it at c_p = 4"`)], 'premium/version/1': [number('macro', '6.828', premium)], 'premium/version/4': [number('macro', '6.828', premium)],
  'premium/break-even-strong': [number('macro', '4', premium)],
  'unsafe/predicate-without-policy': [share('macro', 7.9, clauses)], 'unsafe/predicate-without-status': [share('macro', 6.4, clauses)],
  'unsafe/predicate-without-not-applied': [share('macro', 4, clauses)], 'unsafe/predicate-without-integrity': [share('models', 0, clauses)],
  'unsafe/evidence-router/canonical': [share('models', 0, routers)], 'cost/evidence-router/canonical': [number('macro', '1.83', routers)],
  'unsafe/evidence-router/degraded': [share('macro', 7.9, routers)], 'cost/evidence-router/degraded': [number('macro', '2.17', routers)],
  'unsafe/support-router/held-out': [share('models', 0, routers)], 'cost/support-router/held-out': [number('models', '1.33', routers)],
  'unsafe/support-router/degraded': [{ scope: 'models', value: [0.071, 0.083], text: '7.1 to 8.3%', place: routers }],
  'unsafe/leave-one-fault-out': [share('models', 0, routers)], 'cost/leave-one-fault-out': [number('models', '4.00', routers)],
  'unsafe/leave-one-domain-out': [share('models', 0, routers)], 'cost/leave-one-domain-out': [number('models', '1.33', routers)],
  'outside/leave-one-fault-out': [{ scope: 'models', value: 1, text: '100% ("every held-out fault is unsupported")', place: routers }],
  'outside-support/degraded': [share('models', 50, routers)],
  'replan/replans': [{ scope: 'design', value: 528, text: '528 (1,584 over three models)', place: 'the design, replanning layer' }],
  ...Object.fromEntries(['fastEvidence', 'strongEvidence', 'guardBlock'].map((kind) => [`replan/population/${kind}`, [{ scope: 'design', value: 144, text: '144 (432 over three models)', place: asked } as const]])),
  'replan/matched-sum': [{ scope: 'pooled', value: 432, text: '432', place: asked }],
  'replan/unsafe/fastEvidence': [share('pooled', 18.8, asked)], 'replan/unsafe/strongEvidence': [share('pooled', 6.9, asked)], 'replan/unsafe/guardBlock': [share('pooled', 14.1, asked)],
  'replan/recommits/strongEvidence': [share('pooled', 19.2, asked)],
  'replan/recommits/guardBlock': [share('pooled', 31.9, asked), { scope: 'models', value: [0.261, 0.4], text: '26.1 to 40.0%', place: asked }],
  'replan/abstained/guardBlock': [{ scope: 'models', value: [0.326, 0.826], text: '32.6 to 82.6%', place: asked }],
  'replan/round-trip': [{ scope: 'pooled', value: [1550, 1650], text: '1.6 s', place: asked }],
  'ordinary/abstained': [share('always-acting', 0, cautioned), phi(14.8)], 'ordinary/unsafe': [share('always-acting', 41.7, cautioned), phi(34.6)], 'ordinary/safeSuccess': [phi(51.9)],
  'cautionary/abstained': [share('always-acting', 0, cautioned), phi(26.6)], 'cautionary/unsafe': [share('always-acting', 41.7, cautioned), phi(30.1)], 'cautionary/safeSuccess': [phi(49.3)],
  'seeds/decisions': [{ scope: 'design', value: 1920, text: '1,920 (5,760 over three models)', place: direct }],
  'seeds/auroc': [{ scope: 'models', value: [-0.03, 0.03], text: 'at most 0.03', place: direct }], 'seeds/unsafe': [{ scope: 'models', value: 0, text: '0.0% ("unchanged")', place: direct }],
  'replication/abstained': [llama(0, '0%')], 'replication/unsafe': [llama(0.417, '41.7%')], 'replication/auroc': [llama(0.536, '0.536')], 'replication/ece': [llama(0.292, '0.292')], 'replication/equal': [llama(1, '100% ("every")')],
  'best/25': [name('evidence-router')], 'best/100': [name('always-strong')], 'best/150': [name('always-strong')], 'best/200': [name('always-strong')], 'best/250': [name('always-strong')],
};

/** Results of the text that need a layer of their own, or a model of the paper's. `layer`: with which they have figures of ours beside them; null for never. `why` says what they would need. */
export const printedElsewhere: readonly { readonly layer: 'replanning' | 'repeated' | 'caution' | 'seeds' | 'replication' | 'outside-support' | null; readonly result: string; readonly text: string; readonly place: string; readonly why: string }[] = [
  { layer: 'replanning', result: 'replanning, unsafe replans', text: 'fast evidence 18.8%, strong evidence 6.9%, block notice 14.1%, of 432 each', place: 'Table X', why: 'the proposer must be asked again' },
  { layer: 'replanning', result: 'replanning, unsafe among re-commits', text: 'strong evidence 19.2%, block notice 31.9% (Phi 40.0%, Gemma 34.0%, Qwen 26.1%)', place: 'Table X', why: 'as above' },
  { layer: 'replanning', result: 'replanning, abstention after a block', text: 'Phi 82.6%, Qwen 52.1%, Gemma 32.6%', place: 'Table X', why: 'as above' },
  { layer: 'replanning', result: 'replanning, latency of a round trip', text: '1.6 s', place: 'results, replanning', why: 'as above; and it is of the paper\'s own hardware' },
  { layer: 'repeated', result: 'repeated decoding', text: 'agreement gate 30.7% unsafe, matched gamble 30.2%, both at a mean cost of 1.01', place: direct, why: 'each proposal must be decoded several times' },
  { layer: 'caution', result: 'cautionary prompt', text: 'Qwen and Gemma unchanged; Phi abstains 14.8 to 26.6%, unsafe 34.6 to 30.1%, safe success 51.9 to 49.3%', place: 'Table XI', why: 'another prompt means other proposals: an evaluation of its own' },
  { layer: 'seeds', result: 'five decoding seeds', text: 'AUROC moves by at most 0.03, unsafe rates unchanged', place: direct, why: 'an evaluation with seeds 7 and 101 as well' },
  { layer: 'replication', result: 'replication with Llama-3.2-3B', text: 'no abstention, 41.7% unsafe, AUROC 0.536, ECE 0.292, every guard figure the same', place: direct, why: 'an evaluation of one more model' },
  { layer: 'outside-support', result: 'share outside development support, degraded', text: '50%', place: routers, why: 'degraded telemetry' },
  { layer: null, result: 'Phi-4-mini, direct execution', text: 'abstains on 14.8%, unsafe 34.6%, safe success 51.9%', place: direct, why: 'the paper\'s own model: compare where a run has it' },
];
