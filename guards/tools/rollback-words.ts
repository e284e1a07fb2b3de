/** What a rollback says of itself to people: it is no contract's tool, and its proposals still have a description and named arguments. */
import type { ToolContract } from '../tool-contract.ts';

/** The words of the tool `rollback`. */
export const rollbackWords: Pick<ToolContract, 'description' | 'arguments'> = {
  description: 'Take back one commit: every row that it wrote as it was before, if nobody has written to any of them since.',
  arguments: {
    opKey: { type: 'text', description: 'the op key of the commit', maxLength: 500 },
    tool: { type: 'text', description: 'the tool that was committed, whose policy says who decides', maxLength: 100 },
    committedAt: { type: 'text', description: 'when it was committed', maxLength: 40 },
  },
};
