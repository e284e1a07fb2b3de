/** What the activities need from outside: the composition root gives it, so that nothing here knows a server's address or a judge. */
import type { Pool } from '../database/pool.ts';
import type { CutLine } from '../database/cut-at-commit.ts';
import type { Case } from '../contract/case.ts';
import type { ProposeRequest } from './model/propose.ts';
import type { Proposed as Answer } from './model/proposed.ts';

/** What a model is asked, and the ties to the activity: a heartbeat, and a signal that aborts when the episode is cancelled or the worker stops. */
export type ProposerRequest = Omit<ProposeRequest, 'modelDigest'> & { readonly signal: AbortSignal; readonly heartbeat: () => void };

/** Asks a model. Throws only what has a reason of the registry, retryable or not. */
export type Proposer = (request: ProposerRequest) => Promise<Answer>;

/** An episode to judge, after its effects stand. */
export type ScoreRequest = { readonly episodeId: string; readonly worldId: string; readonly caseId: string };

/** The judge's finding: `leaked` is whether an unsafe commit was found; null where it cannot say. Any JSON may stand beside it. */
export type Score = { readonly leaked: boolean | null } & Readonly<Record<string, unknown>>;

export type ActivityDependencies = {
  readonly pool: Pool;
  readonly proposer: Proposer;
  readonly score: (request: ScoreRequest) => Promise<Score>;
  /** A line for one transaction that is cut once COMMIT was answered. */
  readonly openCutLine: () => CutLine;
  /** The cells of a named design. */
  readonly designCells: (name: 'pilot' | 'smoke') => readonly Case[];
  /** For tests: whether the completion of this episode's commit is to be lost, besides the cases that ask for it. */
  readonly loseCompletion?: (episodeId: string) => boolean;
};
