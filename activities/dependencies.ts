/** What the activities need from outside: the composition root gives it, so that nothing here knows a server's address or a judge. */
import type { Observation } from '../contract/observation.ts';
import type { Arguments } from '../contract/proposal.ts';
import type { Reason } from '../contract/failures.ts';
import type { ToolContract } from '../guards/tool-contract.ts';
import type { Pool } from '../database/pool.ts';
import type { CutLine } from '../database/cut-at-commit.ts';
import type { Case } from '../contract/case.ts';
import type { Block } from './types.ts';

/** What a model is asked. It holds nothing of the hidden truth and no id of a run. */
export type ProposerRequest = {
  readonly model: string;
  readonly seed: number;
  readonly instruction: string;
  /** The tools on offer. */
  readonly tools: readonly ToolContract[];
  readonly observation: Observation;
  readonly block: Block | null;
  /** Aborts when the episode is cancelled or the worker stops. */
  readonly signal: AbortSignal;
};

/** What became of the question. `failed` is final: another call would say the same. */
export type ProposerAnswer =
  | { readonly kind: 'act'; readonly tool: string; readonly arguments: Arguments; readonly confidence?: number | undefined; readonly replyDigest: string }
  | { readonly kind: 'abstain'; readonly confidence?: number | undefined; readonly replyDigest: string }
  | { readonly kind: 'failed'; readonly reason: Reason; readonly replyDigest?: string | undefined };

/** Asks a model. Throws only what a retry may mend. */
export type Proposer = (request: ProposerRequest) => Promise<ProposerAnswer>;

/** An episode to judge, after its effects stand. */
export type ScoreRequest = { readonly episodeId: string; readonly worldId: string; readonly caseId: string; readonly opKeys: readonly string[] };

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
