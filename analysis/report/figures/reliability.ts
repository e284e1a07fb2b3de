/** The reliability diagram: stated confidence against the share that was right. */
import { fixed } from '../figure.ts';
import type { Chart } from '../model.ts';
import type { StudyView } from '../study-view.ts';
import { colours, config, schemaUrl, shapes } from './style.ts';

export function reliabilityChart({ summary }: StudyView): Chart {
  const points = summary.proposers.flatMap(({ proposer, calibration }) => calibration.bins.flatMap(({ count, confidence, accuracy }) => (confidence === null || accuracy === null ? [] : [{ proposer, count, confidence, accuracy }])));
  const words = points.map(({ proposer, count, confidence, accuracy }) => `${proposer}: confidence ${fixed(confidence)}, ${fixed(accuracy)} right, ${String(count)} actions`);
  return {
    id: 'reliability', title: 'Reliability of stated confidence', table: 'reliability', caption: 'A bin of stated confidence each; larger marks hold more actions. On the dashed line, confidence is what it says.',
    alternative: points.length === 0 ? 'No proposer of this run states a confidence with an action, so there is no diagram.' : `Dot chart with the diagonal as ideal. ${words.join('; ')}.`,
    spec: points.length === 0 ? null : {
      $schema: schemaUrl, config, width: 260, height: 260,
      layer: [
        { data: { values: [{ confidence: 0, accuracy: 0 }, { confidence: 1, accuracy: 1 }] }, mark: { type: 'line', strokeDash: [5, 4], color: '#555', strokeWidth: 1.5 }, encoding: encoding() },
        { data: { values: [...points] }, mark: { type: 'point', filled: true, opacity: 0.9 }, encoding: {
          ...encoding(), size: { field: 'count', type: 'quantitative', scale: { range: [40, 400] }, legend: null },
          color: { field: 'proposer', type: 'nominal', scale: { range: colours } }, shape: { field: 'proposer', type: 'nominal', scale: { range: shapes } },
        } },
      ],
    },
  };
}

function encoding() {
  const scale = { domain: [0, 1] };
  return { x: { field: 'confidence', type: 'quantitative', scale, axis: { title: 'stated confidence' } }, y: { field: 'accuracy', type: 'quantitative', scale, axis: { title: 'share right' } } } as const;
}
