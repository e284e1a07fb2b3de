/** The shape of one tool's predicate as the checker states it: SQL over the row history, written without looking at the guards' wording. */

/**
 * Each text is a SQL expression over `q`: the attempt, with `q.args` (jsonb, the proposal's arguments) and the position of as-of.ts.
 * `subjects` names the rows the clauses speak of; a clause that comes out null does not hold.
 */
export type Predicate = {
  readonly tool: string;
  /** Name -> SQL for one jsonb row; the clauses use the names. */
  readonly subjects: Readonly<Record<string, string>>;
  readonly status: string;
  readonly policy: string;
  readonly integrity: string;
  readonly notApplied: string;
  /** Where every effect leaves a row. */
  readonly sideEffectTable: string;
  /** SQL over the jsonb `r`, a row of that table: equal for two rows that do the same thing to the business; null where a row does nothing of the kind. */
  readonly sameEffect: string;
  /** SQL over `q.args`: the value of `sameEffect` that the proposal asks for. */
  readonly wantedEffect: string;
};
