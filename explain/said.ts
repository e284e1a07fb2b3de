/** What people and the engine said about steps. */

/** One thing that somebody said about a step; `refused`: why it did not count. Facts do not have them: what stood in the end is in the boundary. */
export type Said = {
  readonly at: string; readonly opKey: string; readonly kind: string; readonly person: string; readonly identity: string; readonly via: string; readonly comment: string;
  readonly arguments: string | null; readonly assignedTo: string | null; readonly refused: string | null;
};
