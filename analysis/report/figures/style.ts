/** What all charts share: colours that colour-blind readers tell apart (Okabe and Ito 2008), always with a second sign, and sizes that a phone shows unscaled. */
import type { Config } from 'vega-lite';

export const colours = ['#0072B2', '#D55E00', '#009E73', '#CC79A7', '#000000', '#E69F00', '#56B4E9'];
export const shapes = ['circle', 'square', 'triangle-up', 'diamond', 'cross', 'triangle-down', 'triangle-right'];
export const dashes = [[1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [4, 4], [10, 2], [1, 4]];

export const config: Config = {
  background: 'white', aria: false, font: 'sans-serif', view: { stroke: '#888' },
  axis: { labelFontSize: 12, titleFontSize: 12, titleFontWeight: 'normal', gridColor: '#ddd', labelLimit: 150 },
  title: { anchor: 'start', fontSize: 12, offset: 4, limit: 340 },
  legend: { orient: 'bottom', direction: 'vertical', labelFontSize: 12, title: null, labelLimit: 170, symbolSize: 90 },
};

export const schemaUrl = 'https://vega.github.io/schema/vega-lite/v6.json';
