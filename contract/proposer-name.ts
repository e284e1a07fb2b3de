/** How a proposer is named whose model was asked with the study's caution: the answers of another prompt are another proposer's. */

const suffix = '+caution';

/** The proposer of a model under the ordinary or the cautionary prompt. */
export function proposerOf(model: string, caution: boolean): string {
  return caution ? `${model}${suffix}` : model;
}

/** Whether the proposer was asked with the cautionary prompt. */
export function isCautious(proposer: string): boolean {
  return proposer.endsWith(suffix);
}

/** The model behind a proposer, or a canned proposer's own name. */
export function modelOf(proposer: string): string {
  return isCautious(proposer) ? proposer.slice(0, -suffix.length) : proposer;
}
