/** Writes a report's files into the run's folder, each whole or not at all. */
import { join } from 'node:path';
import type { Report } from '../../analysis/report/model.ts';
import { tableCsv } from '../../analysis/report/render/csv.ts';
import { reportHtml } from '../../analysis/report/render/html.ts';
import { reportMarkdown } from '../../analysis/report/render/markdown.ts';
import { UserError } from '../output.ts';
import { writeWhole } from '../records/write-whole.ts';

/** Every file by its name. The page comes last, so that one that is there has its tables beside it. */
export function filesOf(report: Report, drawings: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return new Map([...report.tables.map((table) => [`report-${table.id}.csv`, tableCsv(table)] as const), ['report.md', reportMarkdown(report)], ['report.html', reportHtml(report, drawings)]]);
}

/** @throws UserError where the folder cannot be written */
export async function writeFiles(folder: string, files: ReadonlyMap<string, string>): Promise<void> {
  for (const [name, text] of files) {
    const path = join(folder, name);
    try {
      await writeWhole(path, text);
    } catch (error) {
      throw new UserError(`${path} cannot be written (${(error as { code?: string }).code ?? 'unknown'}).`);
    }
  }
}
