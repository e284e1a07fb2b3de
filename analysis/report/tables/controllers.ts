/** The tables that set controllers under one another: guard precision, incomplete predicates, and all of them. */
import { controllerNames } from '../../../contract/controller.ts';
import type { Table } from '../model.ts';
import type { StudyView } from '../study-view.ts';
import { measuredHeads, rowsByController, type Measured, type Rows } from './by-controller.ts';

type Text = Pick<Table, 'id' | 'title' | 'caption' | 'notes'>;

function tableOf(view: StudyView, text: Text, rows: Rows): Table {
  return { ...text, labels: 2, head: ['proposer', 'controller', ...rows.measured.map((measure) => measuredHeads[measure])], rows: rowsByController(view, rows) };
}

const benign: readonly Measured[] = ['blockedPreserving', 'blockedIrrelevant', 'blockedClean'];
const lossNote = 'Expected loss: 100 x unsafe rate + 10 x (1 - safe success) + mean cost. Cost in the study\'s units, which are not milliseconds: a guard or ordinary read 1, a strong read 4.';

/** The central result: all guards are safe, they differ in what else they block. */
export function guardPrecisionTable(view: StudyView): Table {
  return tableOf(view, {
    id: 'guard-precision', title: 'Guard precision', caption: 'What each commit-time guard lets through and what it blocks in vain, beside no check and strong verification.',
    notes: [lossNote, 'Benign blocked: of the decisions of that class, those where the proposer did as asked and nothing was committed.'],
  }, { controllers: ['always-execute', 'always-strong', 'epoch-guard', 'version-guard', 'predicate-guard'], measured: ['unsafe', 'safeSuccess', ...benign, 'cost', 'loss'] });
}

export function incompletePredicateTable(view: StudyView): Table {
  return tableOf(view, {
    id: 'incomplete-predicates', title: 'Incomplete predicates', caption: 'The predicate guard with one clause left out, as by an author who forgot it.',
    notes: [lossNote],
  }, { controllers: ['predicate-guard', 'predicate-without-policy', 'predicate-without-status', 'predicate-without-not-applied', 'predicate-without-integrity'], measured: ['unsafe', 'safeSuccess', ...benign, 'loss'] });
}

/** Everything that was tried, with its automation. */
export function allControllersTable(view: StudyView): Table {
  return tableOf(view, {
    id: 'all-controllers', title: 'Every controller', caption: 'Every controller on canonical telemetry.',
    notes: [lossNote, 'Automated: settled without a person. A gate on confidence or agreement sees nothing where the proposer states none.'],
  }, { controllers: controllerNames, measured: ['unsafe', 'safeSuccess', 'wrongEffect', 'escalation', 'automation', 'cost', 'loss'] });
}

/** All of them where telemetry says less. */
export function degradedTable(view: StudyView): Table {
  return tableOf(view, {
    id: 'degraded-telemetry', title: 'Every controller, degraded telemetry', caption: 'The same decisions while telemetry aliases some faults and hides the concurrent mutation behind a fresh, normal read.',
    notes: [lossNote, 'A controller that does not look at telemetry has the same outcomes under both profiles.'],
  }, { controllers: controllerNames, measured: ['unsafe', 'safeSuccess', 'escalation', 'automation', 'cost', 'loss', 'regret'], profile: 'degraded', keySuffix: '/degraded' });
}
