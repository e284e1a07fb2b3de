/** Every controller of the study, by name and in the order of tables. */
import { controllerNames, type Controller, type ControllerName } from '../../contract/controller.ts';
import { agreementGate } from './agreement-gate.ts';
import { alwaysEscalate } from './always-escalate.ts';
import { alwaysExecute } from './always-execute.ts';
import { alwaysFast } from './always-fast.ts';
import { alwaysStrong } from './always-strong.ts';
import { commitGuards } from './commit-guards.ts';
import { confidenceGate } from './confidence-gate.ts';
import { evidenceRouter } from './evidence-router.ts';
import { incompletePredicates } from './incomplete-predicates.ts';
import { matchedRandomGate } from './random-gate.ts';
import { supportRouter } from './support-router.ts';
import { ttlGate } from './ttl-gate.ts';

const byName: Readonly<Record<ControllerName, Controller>> = {
  'always-execute': alwaysExecute,
  'always-fast': alwaysFast,
  'always-strong': alwaysStrong,
  'ttl-gate': ttlGate,
  'confidence-gate': confidenceGate,
  'agreement-gate': agreementGate,
  'random-gate': matchedRandomGate,
  ...commitGuards,
  ...incompletePredicates,
  'evidence-router': evidenceRouter,
  'support-router': supportRouter,
  'always-escalate': alwaysEscalate,
};

/** Each of `controllerNames` once, in that order. */
export const controllers: readonly Controller[] = controllerNames.map((name) => byName[name]);
