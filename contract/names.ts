/** How episodes' guards and steps are named. No schema is in this file: workflow code imports it, and would build every schema anew for every workflow. */

/** A guard in one word, for ids and lists: its kind, and the clauses left out after minus signs. */
export function guardLabel(guard: { readonly kind: string; readonly without: readonly string[] }): string {
  return [guard.kind, ...guard.without].join('-');
}

/** The op key of a step: identity only, the same in every layer that retries. Steps count from 1. */
export function opKeyOf(episodeId: string, step: number): string {
  return `${episodeId}:${String(step)}`;
}

/** The simulated approver's name on a policy's list. It decides for the engine, and only where an episode asks for that: it is nobody who could be asked. */
export const simulatedApprover = 'auto';

/** What a request calls itself that takes a commit back; no tool of a contract has this name. */
export const rollbackTool = 'rollback';

/** The id under which the rollbacks of one commit are asked for, one at a time: workflow and requests. */
export function rollbackIdOf(opKey: string): string {
  return `${rollbackTool}/${opKey}`;
}
