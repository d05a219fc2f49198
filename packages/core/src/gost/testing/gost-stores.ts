import { direct, type Io, type MemoryDatabase } from '../../kernel/testing.ts';
import type { ChangeCommand } from '../offer/command.ts';
import { decide, decidePublish, type Decision } from '../offer/decide.ts';
import type { DecisionContext } from '../offer/step.ts';
import type { Offer, OfferContent, SellerId } from '../offer/offer.ts';
import type { OfferChange, TotalMove } from '../offer/offer-change.ts';
import type { OfferId } from '../offer/offer-id.ts';
import type { PresetList } from '../cabinet/cabinet.port.ts';
import type { GostCodecs } from '../gost-codecs.port.ts';
import type { GostStores } from '../gost-stores.port.ts';
import { inMemoryCabinet } from './in-memory-cabinet.ts';
import { inMemoryExportQueue, inMemoryTimers } from './in-memory-export-queue.ts';
import { inMemoryDraftStore } from './in-memory-draft-store.ts';
import { inMemoryFeedStore } from './in-memory-feed-store.ts';
import { inMemoryOfferArchive } from './in-memory-offer-archive.ts';
import { inMemoryOfferScan, inMemoryOfferStore } from './in-memory-offer-store.ts';
import { jsonGostCodecs } from './json-codecs.ts';
import { keyOf, type CountRow, type TotalRow } from './memory-rows.ts';
import { commandId, sampleContent, sampleContext, sampleOfferId, sampleSeller } from './samples.ts';

export type { GostStores };
export type GostHarness = {
  /** The codecs of the stores: the suite decodes the records that wait in the queue. */
  readonly codecs: GostCodecs;
  /** Empty stores. `again` opens the same ones a second time, as another process would. */
  readonly open: () => Promise<{
    readonly stores: GostStores;
    readonly again: () => GostStores;
    /** Makes a count wrong behind the store's back. */
    readonly corruptCount: (list: PresetList, by: number) => Promise<void>;
    /** The same with a total, in a stripe of its own. */
    readonly corruptTotal: (seller: SellerId, move: TotalMove) => Promise<void>;
    readonly close: () => Promise<void>;
  }>;
};

export const inMemoryGostStores = (db: MemoryDatabase, io: Io = direct): GostStores => ({
  offers: inMemoryOfferStore({ db, io, codecs: jsonGostCodecs }),
  drafts: inMemoryDraftStore({ db, io, codecs: jsonGostCodecs }),
  queue: inMemoryExportQueue(db, io),
  cabinet: inMemoryCabinet(db, io),
  timers: inMemoryTimers(db, io),
  scan: inMemoryOfferScan({ db, io, codecs: jsonGostCodecs }),
  feeds: inMemoryFeedStore({ db, io, codecs: jsonGostCodecs }),
  archive: inMemoryOfferArchive(db, io),
});
export const corruptCountInMemory = (
  db: MemoryDatabase,
  { seller, preset }: PresetList,
  by: number,
): void => {
  const rows = db.tables.get('gost_preset_count')!.rows;
  const row = rows.get(keyOf.list(seller, preset)) as CountRow;
  rows.set(keyOf.list(seller, preset), { ...row, counter: row.counter + by });
};

export const corruptTotalInMemory = (
  db: MemoryDatabase,
  seller: SellerId,
  { total, currency, by }: TotalMove,
): void => {
  const row: TotalRow = { total, currency, value: by };
  const { rows } = db.tables.get('gost_total')!;
  rows.set(keyOf.total(seller, total, currency, 99), row);
  db.tables.set('gost_total', { rows, sorted: undefined });
};

type Made = Partial<DecisionContext> & {
  readonly seller?: SellerId;
  readonly offerId?: OfferId;
  readonly content?: Partial<OfferContent>;
};
const changeIn = (decision: Decision): OfferChange => {
  if (decision.kind === 'none') throw new Error('nothing would change');
  return decision.change;
};
/** The n-th offer, published. */
export const publication = (n: number, made: Made = {}): OfferChange => {
  const { seller = sampleSeller(), offerId = sampleOfferId(n), content, ...context } = made;
  const command = { kind: 'publish', id: commandId(`publish-${n}`), by: 'seller', offerId, seller } as const;
  return changeIn(
    decidePublish(
      undefined,
      { ...command, content: sampleContent(content) },
      sampleContext(context),
    )._unsafeUnwrap(),
  );
};
let commands = 0;
/** What a command makes of an offer; the command must change something. */
export const alteration = (
  offer: Offer,
  command: { readonly kind: ChangeCommand['kind'] } & Record<string, unknown>,
  context: Partial<DecisionContext> = {},
): OfferChange => {
  const full = { id: commandId(`alter-${++commands}`), by: 'seller', ...command } as ChangeCommand;
  return changeIn(decide(offer, full, sampleContext(context))._unsafeUnwrap());
};
