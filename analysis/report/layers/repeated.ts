/** Repeated decoding: the gate on agreement beside the gamble that is matched to its budget. */
import type { ControllerName } from '../../../contract/controller.ts';
import { summarizeStudy, type ProposerSummary } from '../../study/summarize-study.ts';
import { numberFigure, rateFigure } from '../figure.ts';
import type { Cell } from '../model.ts';
import { audienceOf, type Run, type StudyView } from '../study-view.ts';
import { inCommon, ownOf, proposersIn, runsOf, type Layer } from './layer.ts';

const gates: readonly ControllerName[] = ['always-execute', 'agreement-gate', 'random-gate', 'always-strong'];

/** Null where no proposal says an agreement. */
export function repeatedLayer(view: StudyView): Layer | null {
  const runs = runsOf(view);
  const repeated = runs.flatMap((run) => proposersIn(run).filter((proposer) => ownOf(run, proposer).some(({ agreement }) => agreement !== null)).map((proposer) => ({ run, proposer })));
  const rows = repeated.flatMap((one) => rowsOf(one, runs[0]));
  return rows.length === 0 ? null : {
    name: 'repeated', runs: repeated.map(({ run }) => run),
    tables: [{
      id: 'repeated-decoding', title: 'Repeated decoding', labels: 2, head: ['proposer', 'controller', 'decisions', 'of them in this run', 'unsafe commits', 'safe success', 'mean cost'], rows,
      caption: 'Each proposal decoded several times: strong evidence where the decodings disagree, beside as much of it bought at random. Repeating cannot mend a read that all decodings share.',
      notes: ['The gamble buys strong evidence for as many of the same proposer\'s decisions as the agreement gate did. All decisions of the run that was decoded repeatedly count, because the budget was matched on these.'],
    }],
  };
}

function rowsOf({ run, proposer }: { run: Run; proposer: string }, main: Run): Cell[][] {
  const own = ownOf(run, proposer);
  const summary: ProposerSummary | undefined = summarizeStudy(own, { resamples: 0 }).proposers[0];
  if (summary === undefined) return [];
  const [audience, common] = [audienceOf(summary), inCommon([own, ownOf(main, proposer)]).decisions];
  return gates.flatMap((name) => {
    const found = summary.profiles.canonical.controllers[name];
    if (found === undefined) return [];
    return [[proposer, name, String(summary.json.decisions), String(common), rateFigure(found.rates.unsafe, `unsafe/${name}`, audience), rateFigure(found.rates.safeSuccess, `safeSuccess/${name}`, audience), numberFigure(found.meanCost, `cost/${name}`, audience)]];
  });
}
