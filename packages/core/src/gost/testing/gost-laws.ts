import type { Delivered } from '../../kernel/index.ts';
import type { BlobServer, MemoryDatabase, MemoryLogServer } from '../../kernel/testing.ts';
import { cabinet } from '../cabinet/presets.ts';
import { offerStatus, type Offer } from '../offer/offer.ts';
import type { HistoryEntry } from '../history/history.ts';
import type { FeedAnswer } from '../autoload/feed-message.ts';
import { FEED_RESULTS, OFFER_UPDATES } from '../export/export-queue.port.ts';
import { archivedIn, archiveLaw } from './archive-laws.ts';
import { jsonFlowCodecs, jsonGostCodecs } from './json-codecs.ts';
import { offerOfParts, type StoredPart } from '../commit/stored-offer.store.ts';
import type {
  BodyRow,
  CountRow,
  HistoryRow,
  PresetRow,
  ProgressRow,
  QueueRow,
  TotalRow,
} from './memory-rows.ts';

type Rows<Row> = readonly (readonly [key: string, row: Row])[];
export const rowsOf = <Row>(db: MemoryDatabase, table: string): Rows<Row> =>
  [...(db.tables.get(table)?.rows ?? [])].map(([key, row]) => [key, row as Row]);
const tally = (names: readonly (readonly [name: string, by: number])[]): string => {
  const sums = new Map<string, number>();
  for (const [name, by] of names) sums.set(name, (sums.get(name) ?? 0) + by);
  return JSON.stringify([...sums].filter(([, sum]) => sum !== 0).sort());
};
const differs = (what: string, found: string, expected: string): string | undefined =>
  found === expected ? undefined : `${what}: ${found} instead of ${expected}`;

export const offersIn = (db: MemoryDatabase): readonly Offer[] => {
  const parts = new Map<string, StoredPart[]>();
  for (const [key, { body }] of rowsOf<BodyRow>(db, 'gost_offer')) {
    const [id = '', kind] = key.split('/');
    parts.set(id, [...(parts.get(id) ?? []), { kind: Number(kind), body }]);
  }
  return [...parts.values()].map((rows) => offerOfParts(rows, jsonGostCodecs)._unsafeUnwrap());
};
type History = readonly HistoryEntry[];
export const historyIn = (db: MemoryDatabase): readonly HistoryEntry[] =>
  rowsOf<HistoryRow>(db, 'gost_history').map(([, { body }]) =>
    jsonGostCodecs.history.decode(body)._unsafeUnwrap(),
  );
/** [G6] Lists are what T3 says of every offer's status, and every count is the number of its lines. */
const listsLaw = (db: MemoryDatabase): string | undefined => {
  const lines = rowsOf<PresetRow>(db, 'gost_preset').map(([, { seller, preset, offerId }]) => ({
    list: `${seller} ${preset}`,
    line: `${seller} ${preset} ${offerId}`,
  }));
  const expected = offersIn(db).flatMap((offer) =>
    cabinet[offerStatus(offer)].presets.map(
      (preset) => [`${offer.seller} ${preset} ${offer.id}`, 1] as const,
    ),
  );
  const counts = rowsOf<CountRow>(db, 'gost_preset_count').map(
    ([, { seller, preset, counter }]) => [`${seller} ${preset}`, counter] as const,
  );
  return (
    differs('lists', tally(lines.map(({ line }) => [line, 1])), tally(expected)) ??
    differs('counts', tally(counts), tally(lines.map(({ list }) => [list, 1])))
  );
};
/** [G11] Totals are the replay of what happened. */
const totalsLaw = (db: MemoryDatabase, history: History): string | undefined => {
  const found = rowsOf<TotalRow>(db, 'gost_total').map(
    ([, { total, currency, value }]) => [`${total} ${currency}`, value] as const,
  );
  const standing = offersIn(db).flatMap((offer) => {
    const { total } = cabinet[offerStatus(offer)];
    return total ? [[`${total} `, 1] as const] : [];
  });
  const sales = history.flatMap(({ sale }) =>
    sale
      ? [
          ['Sold ', 1] as const,
          [`MoneyEarned ${sale.earned?.currency}`, sale.earned?.minorUnits ?? 0] as const,
        ]
      : [],
  );
  return differs('totals', tally(found), tally([...standing, ...sales]));
};
const versionIn = (value: Uint8Array): number => jsonGostCodecs.view.decode(value)._unsafeUnwrap().version;
export const recordsIn = (server: MemoryLogServer, topic = OFFER_UPDATES): readonly Delivered[] =>
  (server.topics.get(topic)?.partitions ?? []).flatMap(({ records }) => records);

/** [G5] Every change waits or was told; of one offer in order, and never an older one after a newer one. */
const exportLaw = (db: MemoryDatabase, server: MemoryLogServer, history: History): string | undefined => {
  const told = new Map<string, number[]>();
  for (const { key, value } of recordsIn(server)) {
    const versions = told.get(key) ?? [];
    const version = versionIn(value);
    if ((versions.at(-1) ?? 0) > version) return `order: ${key} v${version} after v${versions.at(-1)}`;
    told.set(key, [...versions, version]);
  }
  const waiting = new Set(
    rowsOf<QueueRow>(db, 'gost_queue')
      .filter(([, { topic }]) => topic === OFFER_UPDATES)
      .map(([, { key, value }]) => `${key} v${versionIn(value)}`),
  );
  const lost = history.find(
    (entry) =>
      !waiting.has(`${entry.offerId} v${entry.version}`) && !told.get(entry.offerId)?.includes(entry.version),
  );
  return lost && `lost: ${lost.offerId} v${lost.version}`;
};

/** [G1] Versions of an offer count without gaps, and their times strictly grow, whatever the clocks say. */
const timesLaw = (history: History): string | undefined => {
  const last = new Map<string, HistoryEntry>();
  const byVersion = [...history].sort((a, b) => a.version - b.version);
  for (const entry of byVersion) {
    const before = last.get(entry.offerId);
    if (entry.version !== (before?.version ?? 0) + 1) return `gap: ${entry.offerId} v${entry.version}`;
    if (entry.atUs <= (before?.atUs ?? 0)) return `time: ${entry.offerId} v${entry.version} is not later`;
    last.set(entry.offerId, entry);
  }
  return undefined;
};

/** The first answer to every message; later ones repeat it. Published ones come before waiting ones. */
const firstAnswers = (db: MemoryDatabase, server: MemoryLogServer): readonly FeedAnswer[] => {
  const waiting = rowsOf<QueueRow>(db, 'gost_queue').map(([, row]) => row);
  const values = [
    ...recordsIn(server, FEED_RESULTS).map(({ value }) => value),
    ...waiting.filter(({ topic }) => topic === FEED_RESULTS).map(({ value }) => value),
  ];
  const first = new Map<string, FeedAnswer>();
  for (const value of values) {
    const answer = jsonFlowCodecs.feedResults.decode(value)._unsafeUnwrap();
    const { seller, namespace, task, generation, kind } = answer;
    const batch = answer.kind === 'batch' ? answer.batch : 'end';
    const key = JSON.stringify([seller, namespace, task, generation, kind, batch]);
    if (!first.has(key)) first.set(key, answer);
  }
  return [...first.values()];
};
/** [G8] What was answered to a feed is what was done, no more and no less; and nothing was done to another feed's offers. */
const feedLaw = (db: MemoryDatabase, server: MemoryLogServer, history: History): string | undefined => {
  const answered = firstAnswers(db, server).flatMap((answer): (readonly [string, number])[] => {
    const name = (what: string): string => `${answer.namespace} ${what}`;
    if (answer.kind === 'terminal')
      return answer.outcome === 'done' ? [[name('remove'), answer.removed] as const] : [];
    // A load that is tried again answers as before, and does nothing.
    return answer.generation === answer.task
      ? answer.entries.flatMap(({ verdict }) =>
          verdict === 'inserted'
            ? [[name('publish'), 1] as const]
            : verdict === 'updated'
              ? [[name('feedUpdate'), 1] as const]
              : [],
        )
      : [];
  });
  const done = history
    .filter(({ by }) => by === 'feed')
    .map(({ command, commandId }) => [`${commandId.split('/')[1]} ${command}`, 1] as const);
  const running = rowsOf<ProgressRow>(db, 'gost_feed_progress').flatMap(([, { body }]) => {
    const { terminal } = jsonGostCodecs.feedProgress.decode(body)._unsafeUnwrap();
    return terminal?.state === 'running' && terminal.removed > 0 ? ['running'] : [];
  });
  // A terminal in the midst of its slices has removed what it has not answered yet.
  if (running.length > 0) return undefined;
  const strangers = offersIn(db).find(
    ({ seller, source, commands }) =>
      !source && seller.startsWith('f') && commands.some(({ id }) => id.startsWith('feed/')),
  );
  return (
    differs('feeds', tally(done), tally(answered)) ??
    (strangers && `an offer of a feed lost its feed: ${strangers.id}`)
  );
};

/** What must be true of the stores after every step; looks again only when something was written. */
export const gostLaws = (
  db: MemoryDatabase,
  server: MemoryLogServer,
  blobs: BlobServer,
): (() => string | undefined) => {
  const archive = archiveLaw(db, blobs);
  let seen = '';
  return () => {
    const segments = [...blobs.areas.values()].map(({ size }) => size).join();
    const now = `${db.commits.length} ${recordsIn(server).length} ${segments}`;
    if (now === seen) return undefined;
    seen = now;
    const inStore = historyIn(db);
    // Histories go to the archive with their offers: what was done stays done.
    const history = [...inStore, ...archivedIn(db, blobs).flatMap((one) => one.history)];
    return (
      archive(offersIn(db), inStore) ??
      listsLaw(db) ??
      totalsLaw(db, history) ??
      timesLaw(history) ??
      exportLaw(db, server, history) ??
      feedLaw(db, server, history)
    );
  };
};
export const queueIsEmpty = (db: MemoryDatabase): boolean => rowsOf(db, 'gost_queue').length === 0;
