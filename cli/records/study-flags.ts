/** Flags that the study's commands have in common. */
import { designs } from '../../scenarios/design.ts';
import { printable, UserError, wholeNumber } from '../output.ts';

/** A design by its name. @throws UserError (exit 2) */
export function readDesign(text: string): keyof typeof designs {
  if (!Object.hasOwn(designs, text)) throw new UserError(`--design takes ${Object.keys(designs).join(', ')}, not "${printable(text)}".`, 2);
  return text as keyof typeof designs;
}

/** Seeds with commas between them, each once. @throws UserError (exit 2) */
export function readSeeds(text: string): number[] {
  const read = wholeNumber('--seeds', { min: 0, max: 2 ** 31 - 1 });
  const seeds = listOf(text).map(read);
  if (seeds.length === 0 || seeds.length > 1000) throw new UserError('--seeds takes 1 to 1000 whole numbers with commas between them, such as 13,42,2026.', 2);
  return [...new Set(seeds)];
}

/** A folder's name. @throws UserError (exit 2) */
export function readFolder(text: string): string {
  if (text.trim() === '') throw new UserError('--results takes a folder, such as results/mine.', 2);
  return text;
}

/** The parts of a list with commas, each once; empty ones are left out. */
export const listOf = (text: string): string[] => [...new Set(text.split(',').map((part) => part.trim()).filter((part) => part !== ''))];
