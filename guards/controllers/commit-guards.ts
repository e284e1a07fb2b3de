/** The three commit guards, as data: they differ in what they compare and in nothing else (guard-precision, section on guards). */
import type { Controller, ControllerName } from '../../contract/controller.ts';
import type { Clause, Guard } from '../../contract/guard.ts';

/** A controller that commits everything under one guard. */
export function guarded(name: ControllerName, kind: Guard['kind'], without: Clause[] = []): Controller {
  return { name, decide: () => ({ kind: 'commit', guard: { kind, without: [...without] } }) };
}

/** From the coarsest to the finest: any write to the world, a write to a row that was read, the action's own predicate. */
export const commitGuards = {
  'epoch-guard': guarded('epoch-guard', 'epoch'),
  'version-guard': guarded('version-guard', 'version'),
  'predicate-guard': guarded('predicate-guard', 'predicate'),
} as const satisfies Partial<Record<ControllerName, Controller>>;
