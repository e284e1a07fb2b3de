/** A proposed rollback in words. Values of rows may be anybody's text, so nothing of them reaches the terminal's controls. */
import { decisionCommand } from '../../contract/shell-word.ts';
import { printable } from '../output.ts';
import type { ProposedRollback } from './propose.ts';

/** Lines for people: what it would change, until when, and how to decide. */
export function describeProposed({ rollbackId, opKey, rollsBack, proposer, expiresAt, digest, changes, waitedAlready }: ProposedRollback): string {
  return [
    `${printable(opKey, 1_100)}: ${waitedAlready ? 'waited already' : 'waits'} for a decision until ${expiresAt}, proposed by ${printable(proposer)}. Nothing was changed yet.`,
    `It would take back ${printable(rollsBack, 1_100)}:`, ...changes.map((line) => `  ${printable(line, 800)}`), '',
    decisionCommand('approve', rollbackId, digest), decisionCommand('reject', rollbackId, digest),
  ].join('\n');
}
