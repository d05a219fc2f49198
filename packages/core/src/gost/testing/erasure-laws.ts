import type { BlobServer, MemoryDatabase, MemoryLogServer } from '../../kernel/testing.ts';
import type { HistoryEntry } from '../history/history.ts';
import { OFFER_UPDATES } from '../export/export-queue.port.ts';
import { stageKey } from '../stages/stage.ts';
import { STAGES_SPACE } from '../stages/stages.use-case.ts';
import { archivedIn } from './archive-laws.ts';
import { jsonGostCodecs } from './json-codecs.ts';
import type { QueueRow } from './memory-rows.ts';
import { historyIn, offersIn, recordsIn, rowsOf } from './gost-laws.ts';
import { wordOf } from './simulated-clients.ts';
import { STAGE, type Eraser, type Stager } from './simulated-operators.ts';

const textOf = (value: unknown): string =>
  value instanceof Uint8Array
    ? new TextDecoder().decode(value)
    : JSON.stringify(value, (_key, inner: unknown) =>
        inner instanceof Uint8Array ? new TextDecoder().decode(inner) : inner,
      );

type World = { readonly db: MemoryDatabase; readonly server: MemoryLogServer; readonly blobs: BlobServer };
/** Of all offers, archived ones too. */
const historyOf = ({ db, blobs }: Omit<World, 'server'>): readonly HistoryEntry[] => [
  ...historyIn(db),
  ...archivedIn(db, blobs).flatMap(({ history }) => history),
];

/** [G16] What a seller said is in no row any more, and in no message of his erasure or later; earlier ones are told. */
export const erasureLaw = (
  { seller, complete }: Eraser,
  { db, server, blobs }: World,
): string | undefined => {
  if (!complete) return undefined;
  const word = wordOf(seller);
  const erasedAt = new Map(
    historyOf({ db, blobs })
      .filter(({ command }) => command === 'erase')
      .map(({ offerId, atUs, version }) => [offerId as string, { atUs, version }]),
  );
  for (const table of db.tables.keys()) {
    if (table === 'gost_queue') continue;
    const row = rowsOf<unknown>(db, table).find(([key, value]) => `${key} ${textOf(value)}`.includes(word));
    if (row) return `words: ${word} in ${table} ${row[0]}`;
  }
  // Unused segments go with the next sweeps.
  const kept = archivedIn(db, blobs).find((record) => textOf(record).includes(word));
  if (kept) return `words: ${word} in the archive, ${kept.offer.id}`;
  const late = rowsOf<QueueRow>(db, 'gost_queue').find(
    ([, { key, atUs, value }]) =>
      atUs >= (erasedAt.get(key)?.atUs ?? Infinity) && textOf(value).includes(word),
  );
  if (late) return `words: ${word} waits to be told`;
  const told = recordsIn(server, OFFER_UPDATES).find(({ key, value }) => {
    const { version } = jsonGostCodecs.view.decode(value)._unsafeUnwrap();
    return version >= (erasedAt.get(key)?.version ?? Infinity) && textOf(value).includes(word);
  });
  return told && `words: ${word} was told`;
};

/** [G10] A stage's state is what the last successful put wrote; nothing of it is told. */
export const stageLaw = (
  stagers: readonly Stager[],
  erased: Eraser | undefined,
  { db, blobs }: World,
): string | undefined => {
  const history = historyOf({ db, blobs });
  for (const { client, answered } of stagers) {
    if (!client.offerId) continue;
    const found = rowsOf<{ readonly value: Uint8Array; readonly version: number }>(
      db,
      `storage/${STAGES_SPACE}`,
    ).find(([key]) => key === stageKey(client.offerId!, STAGE));
    const [version, state] = found ? [found[1].version, textOf(found[1].value)] : [0, ''];
    if (found && !state.startsWith(`v${version} `)) return `stage: version ${version} is ${state}`;
    if (!answered || client.seller === erased?.seller) continue;
    if (version < answered.version || (version === answered.version && state !== answered.state))
      return `stage: ${state} instead of ${answered.state}`;
  }
  const entries = new Set(history.map(({ offerId, atUs }) => `${offerId} ${atUs}`));
  const echo = rowsOf<QueueRow>(db, 'gost_queue').find(
    ([, { topic, key, atUs }]) => topic === OFFER_UPDATES && !entries.has(`${key} ${atUs}`),
  );
  if (echo) return `echo: ${echo[1].key} is told without a change`;
  const versions = new Map<string, number>();
  for (const { offerId, version } of history)
    versions.set(offerId, Math.max(version, versions.get(offerId) ?? 0));
  const moved = offersIn(db).find(({ id, version }) => version !== versions.get(id));
  return moved && `version: ${moved.id} is at ${moved.version} without a change`;
};
