/** The words of the study's controllers: what one may see, what it may do, and what that costs (guard-precision, sections on controllers and on evidence routing). */
import type { Guard } from './guard.ts';
import type { Telemetry } from './observation.ts';

/** Every controller, in the order of tables. */
export const controllerNames = [
  'always-execute', 'always-fast', 'always-strong', 'ttl-gate', 'confidence-gate', 'agreement-gate', 'random-gate',
  'epoch-guard', 'version-guard', 'predicate-guard',
  'predicate-without-status', 'predicate-without-policy', 'predicate-without-integrity', 'predicate-without-not-applied',
  'evidence-router', 'support-router', 'always-escalate',
] as const;
export type ControllerName = (typeof controllerNames)[number];

/**
 * All that a controller may look at: signals that come with the read, and what the proposer said of its own proposal. Never the fault's identity, the twin,
 * authoritative versions or an outcome.
 */
export type ControllerView = {
  readonly telemetry: Telemetry;
  /** What the model said, 0 to 1; null where the proposer says nothing (a canned one). */
  readonly confidence: number | null;
  /** The share of repeated decodings that propose the same action, 0 to 1; null where decoding was not repeated. */
  readonly agreement: number | null;
  /** A seeded draw from 0 (included) to 1 (excluded), for controllers that gamble. */
  readonly draw: number;
};

/**
 * What is done with the proposal. `commit`: under this guard, in the commit's own transaction. `verify`: buy evidence, then commit unguarded if it shows that
 * the predicate holds, else not at all. `escalate`: leave it to a person.
 */
export type ControllerAction =
  | { readonly kind: 'commit'; readonly guard: Guard }
  | { readonly kind: 'verify'; readonly evidence: Evidence }
  | { readonly kind: 'escalate' };

/** `fast`: an ordinary read, which does not see an effect whose visibility is delayed. `strong`: the authoritative state. */
export type Evidence = 'fast' | 'strong';

/** Verification cost in the study's units, which are not milliseconds. A commit without a guard and an escalation verify nothing. */
export const unitCosts = { execute: 0, fast: 1, guard: 1, strong: 4, escalate: 0 } as const;

/** A controller: pure, so that the same view gives the same action. */
export type Controller = { readonly name: ControllerName; decide(view: ControllerView): ControllerAction };

/** The cost of an action. */
export function costOf(action: ControllerAction): number {
  if (action.kind === 'escalate') return unitCosts.escalate;
  if (action.kind === 'verify') return unitCosts[action.evidence];
  return action.guard.kind === 'none' ? unitCosts.execute : unitCosts.guard;
}
