import { err, ok, type Result } from 'neverthrow';
import { parseOfferId, type OfferId, type OfferView } from '../../gost/index.ts';
import type { Clock, InvalidInput, Unavailable } from '../../kernel/index.ts';
import type { RawDocument } from '../../vasgen/index.ts';
import type { OfferSource } from '../document/offer-source.port.ts';
import type { ComposeDocuments } from '../scheduler/compose-documents.use-case.ts';
import type { IndexedOffer, IndexedOffers } from './indexed-offers.port.ts';
import { formatCursor, type CompareCursor } from './reindex-cursor.ts';
import type { ReindexFinding, ReindexSlice } from './reindex-slice.ts';

export type CompareEpochs = (at: CompareCursor) => Promise<Result<ReindexSlice, InvalidInput | Unavailable>>;
export type CompareNeeds = {
  readonly offers: OfferSource;
  readonly indexed: IndexedOffers;
  readonly compose: ComposeDocuments;
  readonly publish: (documents: readonly RawDocument[]) => Promise<Result<void, Unavailable>>;
  readonly clock: Clock;
  /** A change this young may still be on its way. */
  readonly onItsWayMs: number;
};

/** Two, because a scheduler that has not heard of the building epoch yet may write to the serving one after the first. */
const CLEAN_ROUNDS = 2;
const ROUNDS_MAX = 50;
const FIND_MAX = 100;
const VERSIONS_MAX = 1_000;

export const firstRound = (epoch: number, serving: number, fromMs: number): CompareCursor => ({
  pass: 'compare',
  epoch,
  serving,
  round: 1,
  clean: 0,
  differences: 0,
  fromMs,
  side: 'serving',
  cursor: '',
});

/** Compares (pk, version) of a building epoch with the serving one, and sends what differs, until two rounds in a row find nothing. */
export const makeCompareEpochs = (needs: CompareNeeds): CompareEpochs => {
  const { offers, indexed, compose, publish, clock, onItsWayMs } = needs;

  const versionsIn = async (
    epoch: number,
    rows: readonly IndexedOffer[],
  ): Promise<Result<ReadonlyMap<string, number>, Unavailable>> => {
    const all = new Map<string, number>();
    for (let from = 0; from < rows.length; from += VERSIONS_MAX) {
      const pks = rows.slice(from, from + VERSIONS_MAX).map(({ pk }) => pk);
      const found = await indexed.versions(epoch, pks);
      if (found.isErr()) return err(found.error);
      for (const [pk, version] of found.value) all.set(pk, version);
    }
    return ok(all);
  };
  const viewsOf = async (
    rows: readonly IndexedOffer[],
  ): Promise<Result<ReadonlyMap<OfferId, OfferView>, Unavailable>> => {
    const ids = rows.flatMap(({ pk }) =>
      parseOfferId(pk).match(
        (id) => [id],
        () => [],
      ),
    );
    const all = new Map<OfferId, OfferView>();
    for (let from = 0; from < ids.length; from += FIND_MAX) {
      const found = await offers.find(ids.slice(from, from + FIND_MAX));
      if (found.isErr()) return err(found.error);
      for (const [id, view] of found.value) all.set(id, view);
    }
    return ok(all);
  };
  const isYoung = ({ updatedAtUs }: OfferView): boolean => updatedAtUs / 1_000 > clock.nowMs() - onItsWayMs;

  type Made = { readonly documents: readonly RawDocument[]; readonly findings: readonly ReindexFinding[] };
  /** Active offers that the building epoch lacks or has in an older version. */
  const lacking = async (
    { epoch }: CompareCursor,
    rows: readonly IndexedOffer[],
  ): Promise<Result<Made, Unavailable>> => {
    const versions = await versionsIn(epoch, rows);
    if (versions.isErr()) return err(versions.error);
    const differing = rows.filter(({ pk, version }) => (versions.value.get(pk) ?? -1) < version);
    const views = await viewsOf(differing);
    if (views.isErr()) return err(views.error);
    const batch = compose.batch([...views.value.keys()]);
    const documents: RawDocument[] = [];
    const findings: ReindexFinding[] = [];
    for (const view of views.value.values()) {
      if (view.status !== 'active' || isYoung(view)) continue;
      const composed = await batch.ofView(view);
      if (composed.isErr() && composed.error.kind === 'Unavailable') return err(composed.error);
      const reason = composed.isErr()
        ? (composed.error as { readonly reason: string }).reason
        : 'the serving epoch has a newer version';
      findings.push({ offerId: view.id, kind: composed.isErr() ? 'failed' : 'missing', epoch, reason });
      if (composed.isOk()) documents.push(...composed.value.filter((one) => one.epoch === epoch));
    }
    return ok({ documents, findings });
  };
  /** Documents that only the building epoch has, of offers that are gone. */
  const surplus = async (
    { epoch, serving }: CompareCursor,
    rows: readonly IndexedOffer[],
  ): Promise<Result<Made, Unavailable>> => {
    const versions = await versionsIn(serving, rows);
    if (versions.isErr()) return err(versions.error);
    const differing = rows.filter(({ pk }) => !versions.value.has(pk));
    const views = await viewsOf(differing);
    if (views.isErr()) return err(views.error);
    const batch = compose.batch([]);
    const documents: RawDocument[] = [];
    const findings: ReindexFinding[] = [];
    for (const { pk, version } of differing) {
      const view = views.value.get(pk as OfferId);
      if (view && (view.status === 'active' || isYoung(view))) continue;
      const gone = await batch.ofMissing(pk as OfferId, Math.max(version, view?.updatedAtUs ?? 0));
      if (gone.isErr()) return err(gone.error);
      documents.push(...gone.value.filter((one) => one.epoch === epoch));
      const reason = view ? `the offer is ${view.status}` : 'the offer does not exist';
      findings.push({ offerId: pk, kind: 'ghost', epoch, reason });
    }
    return ok({ documents, findings });
  };
  const after = (at: CompareCursor, next: string | undefined): CompareCursor | undefined => {
    if (next !== undefined) return { ...at, cursor: next };
    if (at.side === 'serving') return { ...at, side: 'building', cursor: '' };
    const clean = at.differences === 0 ? at.clean + 1 : 0;
    if (clean >= CLEAN_ROUNDS || at.round >= ROUNDS_MAX) return undefined;
    // What was too young for this round is old enough for the next one.
    const fromMs = Math.max(clock.nowMs(), at.fromMs) + onItsWayMs;
    return { ...firstRound(at.epoch, at.serving, fromMs), round: at.round + 1, clean };
  };

  return async (at) => {
    const nothing: ReindexSlice = {
      pass: 'compare',
      seen: 0,
      sent: 0,
      findings: [],
      nextCursor: formatCursor(at),
      waitMs: 0,
    };
    const waitMs = at.fromMs - clock.nowMs();
    if (waitMs > 0 && at.side === 'serving' && at.cursor === '')
      return ok({ ...nothing, waitMs: Math.min(waitMs, onItsWayMs) });
    const page = await indexed.page(at.side === 'serving' ? at.serving : at.epoch, at.cursor);
    if (page.isErr()) return err(page.error);
    const made = await (at.side === 'serving' ? lacking : surplus)(at, page.value.offers);
    if (made.isErr()) return err(made.error);
    const { documents, findings } = made.value;
    const sent = await publish(documents);
    if (sent.isErr()) return err(sent.error);
    const differences = at.differences + findings.filter(({ kind }) => kind !== 'failed').length;
    const then = after({ ...at, differences }, page.value.next);
    const isGivenUp = !then && at.round >= ROUNDS_MAX && differences > 0;
    const givenUp: ReindexFinding = {
      offerId: '',
      kind: 'failed',
      epoch: at.epoch,
      reason: `the epochs still differ after ${ROUNDS_MAX} rounds`,
    };
    return ok({
      ...nothing,
      seen: page.value.offers.length,
      sent: documents.length,
      findings: isGivenUp ? [...findings, givenUp] : findings,
      nextCursor: then ? formatCursor(then) : '',
    });
  };
};
