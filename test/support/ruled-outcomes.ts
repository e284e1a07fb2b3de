/** Outcomes that follow from the reference's rules alone (`guard-precision.md`), without a database. They check the trainer and the router, never an environment. */
import { caseId, twinOf, type Condition, type Domain } from '../../contract/case.ts';
import { raceClassOf, type EvaluatedOutcome } from '../../contract/evaluated.ts';
import { developmentTemplates } from '../../guards/controllers/parameters.ts';
import { designCells } from '../../scenarios/design.ts';

type Kind = 'clean' | 'benign' | 'hazardous' | 'hidden';
type Verdict = Pick<EvaluatedOutcome, 'blockedBy' | 'committed' | 'unsafe' | 'safeSuccess'>;

const domains: readonly Domain[] = ['orders', 'billing', 'access', 'deployments'];
/** Development templates whose stale read hides that somebody did the same thing, so that the goal is reached where the proposal is stopped. */
const alreadyDone: readonly string[] = ['cancel-order', 'record-invoice', 'suspend-account'];

/** Fast evidence sees every hazard but the effect whose visibility is delayed. */
function verdictOf(kind: Kind, controller: 'always-execute' | 'always-fast', goalReached: boolean): Verdict {
  const harmless = kind === 'clean' || kind === 'benign';
  if (harmless) return { blockedBy: null, committed: true, unsafe: false, safeSuccess: true };
  if (controller === 'always-execute' || kind === 'hidden') return { blockedBy: null, committed: true, unsafe: true, safeSuccess: false };
  return { blockedBy: 'evidence', committed: false, unsafe: false, safeSuccess: goalReached };
}

function goalReached(template: string, condition: Condition): boolean {
  return condition === 'timeout-after-commit' || condition === 'delayed-visibility' || (condition === 'stale-read' && alreadyDone.includes(template));
}

/** One outcome of always-execute and one of always-fast for every development decision: 8 templates, four instances, six conditions, three seeds, always-act, canonical telemetry. */
export function ruledOutcomes(): EvaluatedOutcome[] {
  const cells = designCells({
    templates: developmentTemplates,
    instances: [0, 1, 2, 3],
    conditions: ['clean', 'stale-read', 'delayed-visibility', 'timeout-after-commit', 'partial-success', 'concurrent-mutation'],
  });
  return cells.flatMap((cell) => [13, 42, 2026].flatMap((seed) => (['always-execute', 'always-fast'] as const).map((controller): EvaluatedOutcome => {
    const twin = twinOf(cell);
    const kind: Kind = twin === 'hazardous' && cell.condition === 'delayed-visibility' ? 'hidden' : twin;
    const domain = domains[Math.floor(developmentTemplates.findIndex((name) => name === cell.template) / 2)] ?? 'orders';
    const verdict = verdictOf(kind, controller, goalReached(cell.template, cell.condition));
    return {
      caseId: caseId(cell), proposer: 'always-act', seed, answer: 'act', wrongArguments: false, confidence: null, agreement: null,
      template: cell.template, domain, condition: cell.condition, twin, raceClass: raceClassOf(cell.condition, twin), telemetry: 'canonical',
      controller, action: controller === 'always-execute' ? 'execute' : 'fast', cost: controller === 'always-execute' ? 0 : 1,
      ...verdict, wrongEffect: false, diffExact: verdict.safeSuccess, duplicates: 0, integrity: 'sound', failedClauses: [],
    };
  })));
}
