/** The search attributes by which episodes and batches are found in Temporal's list, one name and type each. */

/** Name -> type, as Temporal's `--search-attribute NAME=TYPE` takes it. A name, once used on a server, never changes its type. */
export const searchAttributes = {
  holdpointBatch: 'Keyword',
  holdpointTemplate: 'Keyword',
  holdpointGuard: 'Keyword',
  holdpointApproval: 'Keyword',
  holdpointDeadline: 'Datetime',
  holdpointOutcome: 'Keyword',
  holdpointCondition: 'Keyword',
  holdpointLeaked: 'Bool',
} as const;

/** The name of one of the search attributes. */
export type SearchAttributeName = keyof typeof searchAttributes;
