import { err, ok, type Result } from 'neverthrow';
import type { CatalogCache, CategoryId } from '../../catalog/index.ts';
import { parseOfferId, type OfferId, type OfferView } from '../../gost/index.ts';
import {
  invalidInput,
  unavailable,
  type Clock,
  type InvalidInput,
  type Unavailable,
} from '../../kernel/index.ts';
import type { RawDocument } from '../../vasgen/index.ts';
import type { OfferSource } from '../document/offer-source.port.ts';
import { categoriesBelow } from '../query/condition-of.ts';
import type { ComposeDocuments } from '../scheduler/compose-documents.use-case.ts';
import type { DeclaredEpochs } from '../scheduler/declared-epochs.use-case.ts';
import { firstRound, makeCompareEpochs } from './compare-epochs.use-case.ts';
import type { IndexedOffer, IndexedOffers } from './indexed-offers.port.ts';
import { formatCursor, parseCursor, type ReindexCursor } from './reindex-cursor.ts';
import type { ReindexFinding, ReindexSlice } from './reindex-slice.ts';

/** `reindex` sends everything, `audit` only tells differences, `repair` sends what differs. */
export const REINDEX_MODES = ['reindex', 'audit', 'repair'] as const;
export type ReindexMode = (typeof REINDEX_MODES)[number];
export type ReindexRequest = {
  readonly mode: ReindexMode;
  /** Undefined: every living epoch. */
  readonly epoch: number | undefined;
  /** Only offers of this category and of those below it; then documents are not looked at. Undefined: all. */
  readonly category: string | undefined;
  /** The `nextCursor` of the slice before; empty: from the beginning. */
  readonly cursor: string;
};
export type ReindexError = InvalidInput | Unavailable;
export type ReindexOffers = (request: ReindexRequest) => Promise<Result<ReindexSlice, ReindexError>>;
export type ReindexNeeds = {
  readonly offers: OfferSource;
  readonly indexed: IndexedOffers;
  readonly epochs: DeclaredEpochs;
  readonly compose: ComposeDocuments;
  readonly catalog: Pick<CatalogCache, 'copy'>;
  readonly publish: (documents: readonly RawDocument[]) => Promise<Result<void, Unavailable>>;
  readonly clock: Clock;
};

const FIND_MAX = 100;
const VERSIONS_MAX = 1_000;
/** A change this young may still be on its way to the index: it is no difference. */
const ON_ITS_WAY_MS = 10_000;

const chunks = <T>(all: readonly T[], size: number): readonly (readonly T[])[] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, at) => all.slice(at * size, (at + 1) * size));

/** One slice of a pass over all offers and all documents. Repeating a slice does no harm: the freshest document wins. */
export const makeReindexOffers = (needs: ReindexNeeds): ReindexOffers => {
  const { offers, indexed, epochs, compose, catalog, publish, clock } = needs;

  const compareEpochs = makeCompareEpochs({
    offers,
    indexed,
    compose,
    publish,
    clock,
    onItsWayMs: ON_ITS_WAY_MS,
  });
  const isYoung = ({ updatedAtUs }: OfferView): boolean =>
    updatedAtUs / 1_000 > clock.nowMs() - ON_ITS_WAY_MS;
  const send = async (documents: readonly RawDocument[]): Promise<Result<number, Unavailable>> => {
    const written = await publish(documents);
    return written.map(() => documents.length);
  };
  const chosenEpochs = async (
    asked: number | undefined,
  ): Promise<Result<readonly number[], ReindexError>> => {
    epochs.forget();
    const living = await epochs.living();
    if (living.isErr()) return err(living.error);
    const all = living.value.map(({ epoch }) => epoch);
    if (asked === undefined) return ok(all);
    return all.includes(asked)
      ? ok([asked])
      : err(
          invalidInput({
            path: 'epoch',
            code: 'Unknown',
            message: `the living epochs are ${all.join(', ')}`,
          }),
        );
  };
  const wantedCategories = (
    category: string | undefined,
  ): Result<ReadonlySet<string> | undefined, ReindexError> => {
    if (category === undefined) return ok(undefined);
    const copy = catalog.copy();
    if (copy.isErr()) return err(unavailable('the catalogue is not loaded yet', copy.error));
    const known = copy.value.catalog;
    return known.category(category as CategoryId)
      ? ok(new Set(categoriesBelow(known, category as CategoryId)))
      : err(invalidInput({ path: 'category', code: 'Unknown', message: `there is no category ${category}` }));
  };

  /** For each epoch the offers that its index lacks or has in an older version. */
  const missingIn = async (
    epoch: number,
    active: readonly OfferView[],
  ): Promise<Result<readonly ReindexFinding[], Unavailable>> => {
    const findings: ReindexFinding[] = [];
    for (const some of chunks(active, VERSIONS_MAX)) {
      const versions = await indexed.versions(
        epoch,
        some.map(({ id }) => id),
      );
      if (versions.isErr()) return err(versions.error);
      for (const view of some) {
        const version = versions.value.get(view.id);
        if (version !== undefined && version >= view.updatedAtUs) continue;
        if (isYoung(view)) continue;
        const reason =
          version === undefined ? 'the index does not have it' : 'the index has an older version';
        findings.push({ offerId: view.id, kind: 'missing', epoch, reason });
      }
    }
    return ok(findings);
  };
  const offersSlice = async (
    { mode, category }: ReindexRequest,
    chosen: readonly number[],
    cursor: string,
  ): Promise<Result<ReindexSlice, ReindexError>> => {
    const wanted = wantedCategories(category);
    if (wanted.isErr()) return err(wanted.error);
    const page = await offers.page(cursor);
    if (page.isErr()) return err(page.error);
    const { views, next } = page.value;
    const active = views.filter(
      (view) => view.status === 'active' && (wanted.value?.has(view.category) ?? true),
    );
    const findings: ReindexFinding[] = [];
    const toSend = new Map<number, ReadonlySet<OfferView>>();
    for (const epoch of chosen) {
      if (mode === 'reindex') {
        toSend.set(epoch, new Set(active));
        continue;
      }
      const missing = await missingIn(epoch, active);
      if (missing.isErr()) return err(missing.error);
      findings.push(...missing.value);
      const ids = new Set(missing.value.map(({ offerId }) => offerId));
      if (mode === 'repair') toSend.set(epoch, new Set(active.filter(({ id }) => ids.has(id))));
    }
    const documents: RawDocument[] = [];
    const batch = compose.batch(active.map(({ id }) => id));
    for (const view of active) {
      const into = [...toSend].filter(([, some]) => some.has(view)).map(([epoch]) => epoch);
      if (into.length === 0) continue;
      const composed = await batch.ofView(view);
      if (composed.isOk()) documents.push(...composed.value.filter(({ epoch }) => into.includes(epoch)));
      else if (composed.error.kind === 'Unavailable') return err(composed.error);
      else
        findings.push({ offerId: view.id, kind: 'failed', epoch: undefined, reason: composed.error.reason });
    }
    const sent = await send(documents);
    if (sent.isErr()) return err(sent.error);
    // A category says nothing of documents whose offers are gone.
    const [first] = category === undefined ? chosen : [];
    const then: ReindexCursor | undefined =
      next !== undefined
        ? { pass: 'offers', cursor: next }
        : first === undefined
          ? undefined
          : { pass: 'documents', epoch: first, cursor: '' };
    return ok({
      pass: 'offers',
      seen: views.length,
      sent: sent.value,
      findings,
      nextCursor: then ? formatCursor(then) : '',
      waitMs: 0,
    });
  };

  /** Documents whose offers are gone or not active. */
  const ghostsAmong = async (
    some: readonly IndexedOffer[],
  ): Promise<Result<readonly (IndexedOffer & { readonly reason: string })[], Unavailable>> => {
    const ids = some.flatMap(({ pk }) =>
      parseOfferId(pk).match(
        (id) => [id],
        () => [],
      ),
    );
    const views = new Map<OfferId, OfferView>();
    for (const part of chunks(ids, FIND_MAX)) {
      const found = await offers.find(part);
      if (found.isErr()) return err(found.error);
      for (const [id, view] of found.value) views.set(id, view);
    }
    return ok(
      some.flatMap(({ pk, version }) => {
        const view = views.get(pk as OfferId);
        if (!view) return [{ pk, version, reason: 'the offer does not exist' }];
        if (view.status === 'active' || isYoung(view)) return [];
        // The freshest of both: the deletion must win over the document that is there.
        return [{ pk, version: Math.max(version, view.updatedAtUs), reason: `the offer is ${view.status}` }];
      }),
    );
  };
  /** A building epoch that was filled is compared with the serving one at the end. */
  const comparison = async (
    chosen: readonly number[],
  ): Promise<Result<ReindexCursor | undefined, Unavailable>> => {
    const living = await epochs.living();
    if (living.isErr()) return err(living.error);
    const building = living.value.find(({ epoch, state }) => state === 'building' && chosen.includes(epoch));
    const serving = living.value.find(({ state }) => state === 'serving');
    if (!building || !serving) return ok(undefined);
    // Until then every scheduler has heard of the building epoch. The rounds see all that was written to the serving one alone.
    const fromMs = clock.nowMs() + ON_ITS_WAY_MS;
    return ok(firstRound(building.epoch, serving.epoch, fromMs));
  };
  const documentsSlice = async (
    { mode }: ReindexRequest,
    chosen: readonly number[],
    at: { readonly epoch: number; readonly cursor: string },
  ): Promise<Result<ReindexSlice, ReindexError>> => {
    const page = await indexed.page(at.epoch, at.cursor);
    if (page.isErr()) return err(page.error);
    const ghosts = await ghostsAmong(page.value.offers);
    if (ghosts.isErr()) return err(ghosts.error);
    const documents: RawDocument[] = [];
    const batch = compose.batch([]);
    for (const { pk, version } of mode === 'audit' ? [] : ghosts.value) {
      const gone = await batch.ofMissing(pk as OfferId, version);
      if (gone.isErr()) return err(gone.error);
      documents.push(...gone.value.filter(({ epoch }) => epoch === at.epoch));
    }
    const sent = await send(documents);
    if (sent.isErr()) return err(sent.error);
    const { next } = page.value;
    const following = chosen.find((epoch) => epoch > at.epoch);
    const thenOf = async (): Promise<Result<ReindexCursor | undefined, Unavailable>> => {
      if (next !== undefined) return ok({ pass: 'documents', epoch: at.epoch, cursor: next });
      if (following !== undefined) return ok({ pass: 'documents', epoch: following, cursor: '' });
      return mode === 'reindex' ? comparison(chosen) : ok(undefined);
    };
    const found = await thenOf();
    if (found.isErr()) return err(found.error);
    const then = found.value;
    return ok({
      pass: 'documents',
      seen: page.value.offers.length,
      sent: sent.value,
      findings: ghosts.value.map(({ pk, reason }) => ({
        offerId: pk,
        kind: 'ghost',
        epoch: at.epoch,
        reason,
      })),
      nextCursor: then ? formatCursor(then) : '',
      waitMs: 0,
    });
  };

  return async (request) => {
    const at = parseCursor(request.cursor);
    if (!at)
      return err(
        invalidInput({ path: 'cursor', code: 'Malformed', message: 'use the cursor of an earlier answer' }),
      );
    const chosen = await chosenEpochs(request.epoch);
    if (chosen.isErr()) return err(chosen.error);
    switch (at.pass) {
      case 'offers':
        return offersSlice(request, chosen.value, at.cursor);
      case 'documents':
        return documentsSlice(request, chosen.value, at);
      case 'compare':
        return compareEpochs(at);
    }
  };
};
