import type { OfferId, OfferView } from '../../gost/index.ts';
import type { MemoryDatabase, MemoryLogServer } from '../../kernel/testing.ts';
import { positionKey } from '../../kernel/testing/in-memory-log-storage.ts';
import { BULK_TOPIC, LIVE_TOPIC, type RawDocument } from '../../vasgen/index.ts';
import { noLoads, type CtrState } from '../ctr/ctr-state.ts';
import type { ParkedOffer } from '../parking/parking-lot.port.ts';
import { ctrOf, searchCodecs } from './search-world.ts';

export type SimulatedSearch = {
  readonly ids: readonly OfferId[];
  /** Every version of each offer, oldest first. */
  readonly offers: Map<OfferId, readonly OfferView[]>;
  epochs: readonly number[];
  catalogVersion: number;
  /** The freshest document of each offer in each epoch, as the index has it. */
  readonly winners: Map<string, RawDocument>;
  readonly db: MemoryDatabase;
  readonly server: MemoryLogServer;
  /** The offer that can't be converted until it is mended. */
  readonly stubborn: number;
  /** It is parked and mended. Otherwise it blocks its partition to the end. */
  isMended: boolean;
  readonly partitionOf: (offer: number) => number;
  /** The rate of the current load. */
  lastRate: number;
};

const rowsOf = <Row>({ db }: SimulatedSearch, table: string): readonly Row[] => [
  ...((db.tables.get(table)?.rows ?? new Map()) as Map<string, Row>).values(),
];
const ctrStateOf = ({ db }: SimulatedSearch): CtrState => {
  const row = db.tables.get('storage/search.ctr')?.rows.get('loads') as { value: Uint8Array } | undefined;
  return row ? (JSON.parse(new TextDecoder().decode(row.value)) as CtrState) : noLoads;
};
const isFresher = (one: RawDocument, other: RawDocument): boolean =>
  one.version > other.version || (one.version === other.version && one.composedAtMs > other.composedAtMs);
const titleOf = ({ fields }: RawDocument): unknown => fields.find(({ name }) => name === 'title')?.value;

/** Laws that hold after every step. */
export const schedulerLaws = (
  state: SimulatedSearch,
  { updates, group }: { readonly updates: string; readonly group: string },
): (() => string | undefined) => {
  const { server } = state;
  const read = new Map<string, number>();
  const passed = new Map<number, number>();
  let ctrRow: unknown;

  /** Applies what was written since the last step. */
  const applyWritten = (): string | undefined => {
    for (const topic of [LIVE_TOPIC, BULK_TOPIC])
      for (const [partition, { records }] of server.topics.get(topic)!.partitions.entries()) {
        const key = `${topic}/${partition}`;
        for (const { value } of records.slice(read.get(key) ?? 0))
          for (const document of searchCodecs.batch.decode(value)._unsafeUnwrap().documents) {
            const { pk, version, epoch, event } = document;
            const source = state.offers.get(pk as OfferId)?.find((view) => view.updatedAtUs === version);
            if (event === 'upsert' && titleOf(document) !== source?.title)
              return `content: ${pk} version ${version} has ${JSON.stringify(titleOf(document))}`;
            const winner = state.winners.get(`${epoch}/${pk}`);
            if (!winner || isFresher(document, winner)) state.winners.set(`${epoch}/${pk}`, document);
          }
        read.set(key, records.length);
      }
    return undefined;
  };
  /** The position passes a record only if its version, or a newer one, is written or in the lot. */
  const positionLaw = (): string | undefined => {
    for (const [partition, { records }] of server.topics.get(updates)!.partitions.entries()) {
      const to = server.positions.get(positionKey(group, updates, partition))?.offset ?? 0;
      for (const { key, headers } of records.slice(passed.get(partition) ?? 0, to)) {
        const version = Number(headers['version']);
        const isWritten = [...state.winners.values()].some(
          (winner) => winner.pk === key && winner.version >= version,
        );
        const isParked = rowsOf<ParkedOffer>(state, 'search_parked').some(
          ({ offerId, versionUs }) => offerId === key && versionUs >= version,
        );
        if (!isWritten && !isParked)
          return `position: partition ${partition} passed ${key} version ${version}, which is not written`;
      }
      passed.set(partition, Math.max(to, passed.get(partition) ?? 0));
    }
    return undefined;
  };
  /** The current load has every row of its table. */
  const ctrLaw = (): string | undefined => {
    const row = state.db.tables.get('storage/search.ctr')?.rows.get('loads');
    if (row === ctrRow) return undefined;
    ctrRow = row;
    const { current } = ctrStateOf(state);
    if (!current) return undefined;
    const epoch = `${String(current.epochMs).padStart(16, '0')}/`;
    const rates = [...(state.db.tables.get('search_click_rate')?.rows ?? [])].filter(([key]) =>
      key.startsWith(epoch),
    );
    state.lastRate = (rates[0]?.[1] as { ctr: number } | undefined)?.ctr ?? 0;
    return rates.length === state.ids.length
      ? undefined
      : `ctr: the current load has ${rates.length} of ${state.ids.length} rates`;
  };
  return () => applyWritten() ?? positionLaw() ?? ctrLaw();
};

/** What is missing at the end; undefined if everything is as it should be. */
export const finalState = (
  state: SimulatedSearch,
  { rate, updates, group }: { readonly rate: number; readonly updates: string; readonly group: string },
): string | undefined => {
  const { ids, stubborn, isMended, partitionOf } = state;
  for (const [partition, { records }] of state.server.topics.get(updates)!.partitions.entries()) {
    const at = state.server.positions.get(positionKey(group, updates, partition))?.offset ?? 0;
    const isBlocked = !isMended && partition === partitionOf(stubborn);
    if (at < records.length && !isBlocked) return `partition ${partition} stands at ${at}`;
  }
  for (const [offer, id] of ids.entries()) {
    // Behind an offer that blocks to the end, its partition waits. The others must not.
    if (!isMended && partitionOf(offer) === partitionOf(stubborn)) continue;
    const truth = state.offers.get(id)?.at(-1);
    if (!truth) return `${id} was never saved`;
    const event = truth.status === 'active' ? 'upsert' : 'delete';
    for (const epoch of state.epochs) {
      const winner = state.winners.get(`${epoch}/${id}`);
      if (winner?.version !== truth.updatedAtUs || winner.event !== event)
        return `${id} in epoch ${epoch} is version ${winner?.version}, not ${truth.updatedAtUs}`;
      if (event === 'upsert' && ctrOf(winner) !== rate)
        return `${id} has the click rate ${String(ctrOf(winner))}, not ${rate}`;
    }
  }
  const parked = rowsOf<ParkedOffer>(state, 'search_parked');
  return parked.length > 0 ? `${parked[0]!.offerId} is still parked` : undefined;
};
