/** The three actions that controllers choose from besides guarded commits, once each. */
import type { ControllerAction } from '../../contract/controller.ts';

/** Commits as proposed: nothing is checked, nothing is paid. */
export const execute: ControllerAction = { kind: 'commit', guard: { kind: 'none', without: [] } };

/** Buys an ordinary read first. It does not see an effect whose visibility is delayed, and the race after it stays open. */
export const verifyFast: ControllerAction = { kind: 'verify', evidence: 'fast' };

/** Buys the authoritative state first. */
export const verifyStrong: ControllerAction = { kind: 'verify', evidence: 'strong' };
