/** Everything that decides what is asked of whom, so that a folder is gone on with only as what it was begun as. */
import { questionsOf } from '../../activities/model/propose.ts';
import { digestOf, type Json } from '../../contract/digest.ts';
import type { AskedCase } from './cases.ts';
import type { FreezeChoice, PinnedModel } from './plan.ts';

/** As `freeze.json` holds it. No clock, server or machine is in it. */
export type FreezeSettings = {
  /** The form of the lines; a new field means a new number. */
  readonly format: 1;
  readonly design: FreezeChoice['design'];
  readonly seeds: readonly number[];
  readonly repeat: number;
  readonly caution: boolean;
  readonly models: readonly PinnedModel[];
  /** Of every message that a case can be asked with, the reminder after a wrong reply included. */
  readonly prompt: string;
  /** Of the form that replies must have, by case. */
  readonly schema: string;
  /** Of the decoding's options. */
  readonly options: string;
};

/** Works the settings out, from the very questions that will be asked. */
export function freezeSettings(choice: FreezeChoice, cases: ReadonlyMap<string, AskedCase>): FreezeSettings {
  const { design, seeds, repeat, caution, models } = choice;
  const questions = [...cases.values()].flatMap((asked) => questionsOf({ ...asked, model: '', seed: 0, cautious: caution }));
  const digest = (parts: readonly unknown[]): string => digestOf(parts as Json);
  return {
    format: 1, design, seeds, repeat, caution, models,
    prompt: digest(questions.map(({ messages }) => messages)), schema: digest(questions.map(({ format }) => format)), options: digest(questions.map(({ options }) => options)),
  };
}
