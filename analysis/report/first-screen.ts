/** The first screen, in sentences worked out from the results: what was tried, what came out, what to use. For a person who has not read the paper. */
import { controllerNames, type ControllerName } from '../../contract/controller.ts';
import { incompletePredicates } from './incomplete.ts';
import { replanningCounts } from '../study/replanning.ts';
import type { ControllerSummary, ProfileSummary } from '../study/summarize-profile.ts';
import type { Report } from './model.ts';
import { hasMacro, type StudyView } from './study-view.ts';

type Screen = Report['firstScreen'];

/** Plain words for a controller, so that no name must be known. */
const plain: Readonly<Partial<Record<ControllerName, string>>> = {
  'always-execute': 'no check at all', 'always-strong': 'an authoritative read before every action', 'always-escalate': 'leaving everything to a person',
  'epoch-guard': 'the epoch guard (refuses when anything at all has changed)', 'version-guard': 'the version guard (refuses when a row that was read has changed)',
  'evidence-router': 'the evidence router (chooses a check by the age and status of the read)', 'support-router': 'the learned router (chooses a check by what earlier outcomes showed)',
  'predicate-guard': 'the predicate guard (refuses when the action\'s own conditions no longer hold)',
};
export const nameOf = (name: ControllerName): string => plain[name] ?? `the controller ${name}`;

const count = (value: number): string => value.toLocaleString('en-US');
const percent = (value: number | null): string => (value === null ? 'no decisions' : `${(100 * value).toFixed(1)}%`);

export function firstScreen(view: StudyView): Screen {
  const { proposers } = view.summary;
  const answered = proposers.some(({ answers }) => answers.act > 0);
  if (!answered) return { tried: triedSentences(view), cameOut: ['No proposer gave an action, so no check had anything to decide. Nothing follows from this run.'], use: ['Look at why the answers failed, and evaluate again.'] };
  return { tried: triedSentences(view), cameOut: cameOutSentences(view), use: useSentences(view) };
}

function triedSentences({ summary, settings }: StudyView): string[] {
  const [first] = summary.proposers;
  if (first === undefined) return ['Nothing was tried.'];
  const { invalidating, preserving, irrelevant, clean } = first.json.raceClasses;
  const controllers = Object.keys(first.profiles.canonical.controllers).length || Object.keys(first.profiles.degraded.controllers).length;
  const who = summary.proposers.map(({ proposer, answers }) => `${proposer} (acted on ${count(answers.act)}, abstained on ${count(answers.abstain)}, failed on ${count(answers.failed + answers.missing)})`);
  return [
    'An agent reads data, decides on a change, and commits it later; meanwhile the data may move. What should be checked right before the commit, so that no wrong change gets through and no right one is held up in vain?',
    `${String(controllers)} ways of checking each got the same ${count(first.json.decisions)} decisions${hasMacro(summary) ? ' of each proposer' : ''}, every one in a database world of its own. In ${count(invalidating)} the change had become wrong; in ${count(preserving + irrelevant)} something moved but the change was still right; in ${count(clean)} nothing moved.`,
    `The decisions came from ${who.join('; ')}; design ${settings.design}.`,
  ];
}

const guards = ['epoch-guard', 'version-guard', 'predicate-guard'] as const;

/** A sentence on no check, then one for each guard; each with every proposer's figures. */
function cameOutSentences({ summary: { proposers }, replans, settings }: StudyView): string[] {
  const perProposer = (name: ControllerName, say: (of: ControllerSummary) => string): string => proposers.flatMap(({ proposer, profiles }) => {
    const of = profiles.canonical.controllers[name];
    return of === undefined ? [] : [`${proposers.length > 1 ? `${proposer}: ` : ''}${say(of)}`];
  }).join('; ');
  const direct = perProposer('always-execute', ({ counts, rates }) => `${count(counts.unsafe)} of ${count(counts.decisions)} decisions (${percent(rates.unsafe.value)}) ended in a wrong change`);
  const each = guards.map((name) => ({ name, said: perProposer(name, guarded) })).filter(({ said }) => said !== '');
  return [...(direct === '' ? [] : [`Without any check, ${direct}.`]), ...each.map(({ name, said }) => `${nameOf(name).replace(/^t/, 'T')}: ${said}.`), ...askedAgain(replans ?? [], settings.proposers.every(({ digest }) => digest === null))];
}

/** What telling the agent did, instead of checking for it: one sentence, over all proposers together. */
function askedAgain(replans: NonNullable<StudyView['replans']>, isCanned: boolean): string[] {
  const { matched: { fastEvidence, strongEvidence, guardBlock } } = replanningCounts(replans);
  if (guardBlock.population === 0) return [];
  const share = ({ unsafe, population }: typeof guardBlock): string => `${count(unsafe)} of ${count(population)} (${percent(population === 0 ? null : unsafe / population)})`;
  return [`Telling the agent instead of checking for it: asked again after the version guard's block, its new answer was committed as a wrong change in ${share(guardBlock)}; after an ordinary read in ${share(fastEvidence)}; after an authoritative read in ${share(strongEvidence)}.${isCanned ? ' This proposer takes no notice of what it is told: ask a model to see what telling is worth.' : ''}`];
}

function guarded(of: ControllerSummary): string {
  const { counts: { unsafe }, rates: { safeSuccess } } = of;
  return `${unsafe === 0 ? 'no wrong change' : `${count(unsafe)} wrong changes`} let through, ${vain(of) === 0 ? 'none' : count(vain(of))} of the ${count(right(of))} right ones blocked in vain${wrongCalls(of)}, ${percent(safeSuccess.value)} of all decisions ended with the data exactly as asked`;
}

/** Benign decisions in which the proposer did as asked: one that does something else is not right, whatever the race. */
const right = ({ counts: { asAsked } }: ControllerSummary): number => asAsked.preserving + asAsked.irrelevant + asAsked.clean;
const wrongCalls = ({ counts: { otherRefused } }: ControllerSummary): string => (otherRefused === 0 ? '' : ` (and ${count(otherRefused)} refused that did something else than asked)`);
const vain = ({ counts: { blocked } }: ControllerSummary): number => blocked.preserving + blocked.irrelevant + blocked.clean;

/** The controller with the least expected loss, by the average over proposers; contracts with a clause left out are no candidates. */
function useSentences({ summary }: StudyView): string[] {
  const { controllers } = summary.macro.profiles.canonical;
  const ranked = controllerNames.filter((name) => !incompletePredicates.includes(name)).flatMap((name) => { const loss = controllers[name]?.expectedLoss.value ?? null; return loss === null ? [] : [{ name, loss }]; }).sort((one, other) => one.loss - other.loss);
  const [best, next] = ranked;
  if (best === undefined) return ['Too few outcomes to say.'];
  const unsafe = controllers[best.name]?.rates.unsafe.value ?? null;
  const profile = summary.proposers[0]?.profiles.canonical;
  return [
    `Use ${nameOf(best.name)}: it cost least, ${best.loss.toFixed(2)} a decision${next === undefined ? '' : `, before ${nameOf(next.name)} at ${next.loss.toFixed(2)}`} (a wrong change counts 100, a missed goal 10, a check 1 to 4).${unsafe === 0 ? ' It let no wrong change through here.' : ` It still let ${percent(unsafe)} wrong changes through.`}`,
    ...(best.name === 'predicate-guard' && profile !== undefined ? [clauseSentence(profile)] : []),
    'These are counts of this benchmark\'s cases, not a promise about other systems: a guard is safe only where its check and its commit are one step, and where its conditions are complete.',
  ].filter((text) => text !== '');
}

function clauseSentence({ controllers }: ProfileSummary): string {
  const leaks = incompletePredicates.flatMap((name) => { const of = controllers[name]; return of === undefined ? [] : [`${name.replace('predicate-without-', '')} ${count(of.counts.unsafe)}`]; });
  return leaks.length === 0 ? '' : `Write its conditions out in full: wrong changes let through when one was forgotten: ${leaks.join(', ')}.`;
}
