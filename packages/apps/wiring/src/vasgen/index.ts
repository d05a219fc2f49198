import { defineContext, startProblem, storeOf } from '@doska/app-composition';
import { err, ok } from 'neverthrow';
import { vasgenModule } from './module.ts';
import { vasgenSettings } from './settings.ts';
import { VasgenTokens, type VasgenConfig } from './tokens.ts';

export { VasgenTokens, type VasgenConfig } from './tokens.ts';
export { searcherPart, searcherReady } from './searcher-part.ts';
export { INPUT_TOPICS, indexTopics } from './topics.ts';

/** `keptMs`: how long a topic keeps records that were never read. */
const checkHorizon = ({ horizonMs }: VasgenConfig, keptMs: number): readonly string[] =>
  horizonMs <= keptMs
    ? [
        `DOSKA_VASGEN_HORIZON_MS: above ${keptMs} (DOSKA_RETENTION_MS times DOSKA_UNREAD_FACTOR), or a deleted document could come back`,
      ]
    : [];
/** A record holds the document, its place, and the frames of both. */
const RECORD_FRAME_BYTES = 16 * 1024;
const checkDocumentBytes = ({ documentBytesMax }: VasgenConfig, recordBytesMax: number): readonly string[] =>
  documentBytesMax + RECORD_FRAME_BYTES > recordBytesMax
    ? [
        `DOSKA_VASGEN_DOCUMENT_BYTES_MAX: at most ${recordBytesMax - RECORD_FRAME_BYTES}, or the largest document does not fit a record of the index topic`,
      ]
    : [];

/** Indexing: receiver, registry, queues and searcher. */
export const vasgenWiring = defineContext({
  name: 'vasgen',
  title: 'Indexing (vasgen)',
  settings: vasgenSettings,
  check: ({ vasgen, retentionMs, unreadFactor, recordBytesMax }) => [
    ...checkHorizon(vasgen, retentionMs * unreadFactor),
    ...checkDocumentBytes(vasgen, recordBytesMax),
  ],
  store: (config) => storeOf(config, config.vasgen),
  module: (config) => vasgenModule(config.vasgen, storeOf(config, config.vasgen)),
  prepare: async (container) => {
    const prepared = await container.get(VasgenTokens.vasgen).prepare();
    if (prepared.isOk()) return ok(undefined);
    const { error } = prepared;
    return err(
      error.kind === 'ShardsMismatch'
        ? startProblem(
            `DOSKA_VASGEN_SHARDS: the queues of ${error.client} have ${error.stored} shards, and ${error.configured} are configured. The number can't change: set DOSKA_VASGEN_SHARDS=${error.stored}.`,
          )
        : startProblem(`indexing can't be reached: ${error.what}`),
    );
  },
});
