/** A finished freeze: what each proposer answered, what it took, and how to evaluate it. */
import type { FrozenProposal } from '../../contract/frozen-proposal.ts';
import { planOf } from '../../scenarios/plan.ts';
import { canonicalText } from '../../contract/digest.ts';
import { shellWord } from '../../contract/shell-word.ts';
import type { FreezeChoice } from './plan.ts';
import type { Finished, Spent } from './run.ts';

/** One proposer's answers. They add up to `proposals`. */
export type ProposerCounts = {
  readonly proposer: string;
  readonly digest: string | null;
  readonly proposals: number;
  readonly act: number;
  /** Acts with other arguments than the request's; they are among `act`. */
  readonly wrongArguments: number;
  readonly abstain: number;
  readonly failed: number;
  /** Mean share of agreeing decodings, 0 to 1; null where decoding was not repeated. */
  readonly meanAgreement: number | null;
  /** Decodings that this run asked the model for; all others were frozen already. */
  readonly asked: number;
  /** Seconds for each of them; null where none was asked. */
  readonly secondsPerDecoding: number | null;
};

/** As `--json` prints it. */
export type FreezeDocument = { readonly folder: string; readonly proposals: number; readonly proposers: readonly ProposerCounts[]; readonly evaluate: string };

/** Counts the answers. `evaluate`: the command that replays them. */
export function documentOf({ design, seeds }: Pick<FreezeChoice, 'design' | 'seeds'>, { folder, proposals, spent }: Finished): FreezeDocument {
  const names = [...new Set(proposals.map(({ proposer }) => proposer))];
  return {
    folder, proposals: proposals.length,
    proposers: names.map((name) => countsOf(proposals.filter(({ proposer }) => proposer === name), spent.get(name) ?? { decodings: 0, elapsedMs: 0 })),
    evaluate: `holdpoint evaluate --design ${design} --seeds ${seeds.join(',')} --proposer ${names.join(',')} --results ${shellWord(folder) ?? '<folder>'}`,
  };
}

function countsOf(proposals: readonly FrozenProposal[], { decodings, elapsedMs }: Spent): ProposerCounts {
  const [first] = proposals;
  const count = (answer: FrozenProposal['answer']): number => proposals.filter((proposal) => proposal.answer === answer).length;
  const agreements = proposals.flatMap(({ agreement }) => (agreement === null ? [] : [agreement]));
  return {
    proposer: first?.proposer ?? '', digest: first?.digest ?? null, proposals: proposals.length,
    act: count('act'), wrongArguments: proposals.filter(isOffTarget).length, abstain: count('abstain'), failed: count('failed'),
    meanAgreement: agreements.length === 0 ? null : agreements.reduce((sum, agreement) => sum + agreement, 0) / agreements.length,
    asked: decodings, secondsPerDecoding: decodings === 0 ? null : Math.round(elapsedMs / decodings) / 1000,
  };
}

function isOffTarget(proposal: FrozenProposal): boolean {
  return proposal.answer === 'act' && canonicalText(proposal.arguments) !== canonicalText(planOf(proposal.caseId).arguments);
}

/** For people. */
export function describeFreeze({ folder, proposers, evaluate }: FreezeDocument): string {
  const lines = proposers.map((of) => {
    const agreed = of.meanAgreement === null ? '' : `, mean agreement ${of.meanAgreement.toFixed(3)}`;
    const took = of.secondsPerDecoding === null ? 'nothing was asked anew' : `${String(of.asked)} decodings asked, ${of.secondsPerDecoding.toFixed(2)} s each`;
    return `${of.proposer}: ${String(of.proposals)} proposals, ${String(of.act)} act (${String(of.wrongArguments)} with wrong arguments), ${String(of.abstain)} abstain, ${String(of.failed)} failed${agreed}; ${took}`;
  });
  return [...lines, `Frozen in ${folder}. Next: npx ${evaluate}`].join('\n');
}
