/** Addresses in Temporal's UI. */

/** Where the UI is, and whose workflows it shows. */
export type Ui = { readonly url: string; readonly namespace: string };

/** A run's links. `episode`: one worth opening. */
export type Links = { readonly ui: string; readonly batch: string; readonly episode: string | null };

/** The links of a run, or null where nobody knows the UI's address. */
export function linksOf(ui: Ui | undefined, runId: string, episodeId: string | undefined): Links | null {
  if (ui === undefined) return null;
  const workflows = `${ui.url}/namespaces/${encodeURIComponent(ui.namespace)}/workflows`;
  return {
    ui: ui.url,
    batch: `${workflows}?query=${encodeURIComponent(`holdpointBatch="${runId}"`)}`,
    episode: episodeId === undefined ? null : `${workflows}/${encodeURIComponent(episodeId)}`,
  };
}
