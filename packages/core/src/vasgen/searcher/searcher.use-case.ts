import { err, errAsync, ok, type ResultAsync, type Result } from 'neverthrow';
import {
  delayMs,
  invalidInput,
  limitRepeats,
  sleep,
  unavailable,
  type Backoff,
  type BlockedPartitions,
  type Clock,
  type Codec,
  type InvalidInput,
  type MessageLog,
  type Random,
  type Telemetry,
  type Unavailable,
} from '../../kernel/index.ts';
import type { IndexedDocument } from '../document/indexed-document.ts';
import { indexRecordOf } from '../document/indexed-document.ts';
import type { ClientName, RawDocument } from '../document/raw-document.ts';
import type { PlanInvalid } from '../engine/check-plan.ts';
import type { IndexName } from '../engine/index-name.ts';
import type { IndexRecord } from '../engine/index-record.ts';
import type { QueryPlan } from '../engine/query-plan.ts';
import type { IndexWord, NoIndex, SearchEngine, WordsPlan } from '../engine/search-engine.port.ts';
import { epochOf, livingEpochs, type Epoch } from '../epochs/epoch.ts';
import type { UnknownClient } from '../epochs/epoch-store.port.ts';
import type { KnownEpochs } from '../epochs/known-epochs.use-case.ts';
import type { UnknownEpoch } from '../epochs/manage-epochs.use-case.ts';
import type { DocumentRegistry } from '../registry/document-registry.port.ts';
import type { DeclaredPlan } from '../schema/declared-plan.ts';
import { indexOf } from './client-indexes.ts';
import type { EngineSource } from './engine-source.port.ts';
import type { SearcherRows } from './searcher-rows.port.ts';
import { followClient, type FollowedClient } from './follow-client.use-case.ts';
import { queryPlanOf, type ExplainAnswer, type SearchAnswer, type SearchRequest } from './search-request.ts';

export type SearcherSettings = {
  readonly clients: readonly ClientName[];
  /** How often the epochs are looked at. */
  readonly epochsEveryMs: number;
  readonly retry: Backoff;
};
export type SearcherNeeds = {
  /** Names this searcher in answers. */
  readonly id: string;
  readonly engines: EngineSource;
  readonly epochs: KnownEpochs;
  readonly registry: Pick<DocumentRegistry, 'scan'>;
  readonly searchers: Pick<SearcherRows, 'report' | 'remove'>;
  readonly log: Pick<MessageLog, 'read' | 'topics'>;
  readonly documents: Codec<RawDocument>;
  readonly records: Codec<IndexedDocument>;
  readonly blocked: Pick<BlockedPartitions, 'blocked' | 'freed'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly telemetry: Pick<Telemetry, 'logger' | 'metrics'>;
  readonly settings: SearcherSettings;
};
export type ExecuteError = UnknownClient | UnknownEpoch | InvalidInput | PlanInvalid | Unavailable;
export type Searcher = {
  execute(client: ClientName, request: SearchRequest): ResultAsync<SearchAnswer, ExecuteError>;
  /** Why a document is or is not a hit of the request. */
  explain(client: ClientName, request: SearchRequest, pk: string): ResultAsync<ExplainAnswer, ExecuteError>;
  /** Words of a living epoch's index; `epoch` undefined: the serving one. */
  words(
    client: ClientName,
    epoch: number | undefined,
    plan: WordsPlan,
  ): ResultAsync<readonly IndexWord[], ExecuteError>;
  /** Undefined if queries of every client can be answered; else what is missing. */
  missing(): string | undefined;
  /** Opens the engine and follows the topics until the signal. An engine that dies is opened again. */
  run(signal: AbortSignal): Promise<void>;
};

const NO_PLAN: DeclaredPlan = { boosts: [], counts: [] };
/** What a searcher adds to the answer of its engine. */
type Answered = { readonly epoch: number; readonly searcher: string; readonly indexAgeMs: number };
type Opened = { readonly engine: SearchEngine; readonly clients: ReadonlyMap<ClientName, FollowedClient> };

/** A codec of index records over one of indexed documents: a searcher needs no payloads. */
const recordsOf = (codec: Codec<IndexedDocument>): Codec<IndexRecord> => ({
  encode: () => {
    throw new Error('a searcher writes no records');
  },
  decode: (bytes) => codec.decode(bytes).map(indexRecordOf),
});

export const makeSearcher = (needs: SearcherNeeds): Searcher => {
  const { id, engines, epochs, clock, random, settings } = needs;
  const logger = limitRepeats(needs.telemetry.logger, clock);
  const records = recordsOf(needs.records);
  let opened: Opened | undefined;

  const ages = needs.telemetry.metrics.gauge({
    name: 'doska_vasgen_index_age_seconds',
    help: 'How far the serving index of a client is behind its topic.',
    labels: ['client'],
  });

  const syncUntil = async (
    client: ClientName,
    followed: FollowedClient,
    signal: AbortSignal,
  ): Promise<void> => {
    while (!signal.aborted) {
      const synced = await followed.sync();
      if (synced.isErr())
        logger.warn('the epochs of a client can not be followed', { client, error: synced.error });
      const indexes = await followed.progress();
      const reported = indexes.isErr()
        ? err(indexes.error)
        : await needs.searchers.report(client, { searcher: id, indexes: indexes.value });
      if (reported.isErr())
        logger.warn('the searcher could not report itself', { client, error: reported.error });
      const asOfMs = followed.feedOf(followed.serving() ?? -1)?.asOfMs;
      if (asOfMs !== undefined) ages.set(Math.max(0, clock.nowMs() - asOfMs) / 1_000, { client });
      await sleep(clock, settings.epochsEveryMs, signal);
    }
  };

  /** One life of the engine. */
  const live = async (engine: SearchEngine, ended: Promise<void>, signal: AbortSignal): Promise<void> => {
    const life = new AbortController();
    void ended.then(() => life.abort());
    const until = AbortSignal.any([signal, life.signal]);
    const follow = (client: ClientName): FollowedClient =>
      followClient(
        {
          engine,
          epochs,
          registry: needs.registry,
          log: needs.log,
          documents: needs.documents,
          records,
          blocked: needs.blocked,
          clock,
          logger,
        },
        client,
      );
    const clients = new Map(settings.clients.map((client) => [client, follow(client)] as const));
    opened = { engine, clients };
    await Promise.all([...clients].map(([client, followed]) => syncUntil(client, followed, until)));
    opened = undefined;
    await Promise.all(
      [...clients].map(async ([client, followed]) => {
        await followed.stop();
        (await needs.searchers.remove(client, id)).orTee((error) =>
          logger.warn('the searcher could not sign off', { client, error }),
        );
      }),
    );
    await engine.close();
  };

  const run: Searcher['run'] = async (signal) => {
    for (let failures = 0; !signal.aborted;) {
      const engine = await engines.open();
      if (engine.isOk()) {
        failures = 0;
        await live(engine.value.engine, engine.value.ended, signal);
        if (!signal.aborted) logger.error('the search engine has died and is opened again');
      } else logger.error('the search engine can not be opened', { error: engine.error });
      if (!signal.aborted) await sleep(clock, delayMs(settings.retry, ++failures, random), signal);
    }
  };

  const notReady = (what: string): Unavailable => unavailable('searcher', new Error(what));
  /** The living epoch that a request asks for, if its index has caught up. */
  const epochFor = (
    client: ClientName,
    followed: FollowedClient,
    asked: number | undefined,
  ): ResultAsync<Epoch, ExecuteError> =>
    epochs.get(client).andThen((known): Result<Epoch, ExecuteError> => {
      const epoch = asked ?? followed.serving();
      const found = epoch === undefined ? undefined : epochOf(known, epoch);
      if (asked !== undefined && !found)
        return err({ kind: 'UnknownEpoch', epoch: asked, living: livingEpochs(known) });
      if (!found) return err(notReady('no index serves yet'));
      return followed.feedOf(found.epoch)?.caughtUp
        ? ok(found)
        : err(notReady('the index has not caught up yet'));
    });

  const asUnavailable = (error: NoIndex | PlanInvalid | Unavailable): PlanInvalid | Unavailable =>
    error.kind === 'PlanInvalid' || error.kind === 'Unavailable'
      ? error
      : notReady(`${error.kind} ${error.name}`);
  /** An index may know fewer fields than its epoch: then it is extended first. */
  const answer = <T>(
    engine: SearchEngine,
    index: IndexName,
    { schema }: Epoch,
    ask: () => ResultAsync<T, NoIndex | PlanInvalid | Unavailable>,
  ): ResultAsync<T, PlanInvalid | Unavailable> =>
    ask()
      .orElse((error) => {
        if (error.kind !== 'PlanInvalid') return errAsync(error);
        return engine
          .extend(index, schema.fields)
          .mapErr(() => error)
          .andThen(ask);
      })
      .mapErr(asUnavailable);
  /** Asks the index of the epoch that a request means, by the plan that it names. */
  const asked = <T>(
    client: ClientName,
    request: SearchRequest,
    ask: (
      engine: SearchEngine,
      where: { readonly index: IndexName },
      plan: QueryPlan,
    ) => ResultAsync<T, NoIndex | PlanInvalid | Unavailable>,
  ): ResultAsync<T & Answered, ExecuteError> => {
    if (!settings.clients.includes(client)) return errAsync({ kind: 'UnknownClient', client });
    const followed = opened?.clients.get(client);
    if (!opened || !followed) return errAsync(notReady('the search engine is not open'));
    const { engine } = opened;
    return epochFor(client, followed, request.epoch).andThen((epoch) => {
      const declared = request.plan === '' ? NO_PLAN : epoch.schema.plans?.[request.plan];
      if (!declared) {
        const names = Object.keys(epoch.schema.plans ?? {}).join(', ');
        const message = `no plan of this name; there is: ${names === '' ? 'none' : names}`;
        return errAsync(invalidInput({ path: 'plan', code: 'Unknown', message }));
      }
      const index = indexOf(client, epoch.epoch);
      const plan = queryPlanOf(request, declared, clock.nowMs());
      return answer(engine, index, epoch, () => ask(engine, { index }, plan)).map((found) => ({
        ...found,
        epoch: epoch.epoch,
        searcher: id,
        indexAgeMs: Math.max(0, clock.nowMs() - (followed.feedOf(epoch.epoch)?.asOfMs ?? 0)),
      }));
    });
  };

  return {
    run,
    missing: () => {
      if (!opened) return 'the search engine is not open';
      for (const [client, followed] of opened.clients) {
        const epoch = followed.serving();
        if (epoch === undefined) return `no index serves ${client} yet`;
        if (!followed.feedOf(epoch)?.caughtUp) return `the index of ${client} has not caught up yet`;
      }
      return undefined;
    },
    words: (client, asked, plan) => {
      if (!settings.clients.includes(client)) return errAsync({ kind: 'UnknownClient', client });
      const followed = opened?.clients.get(client);
      if (!opened || !followed) return errAsync(notReady('the search engine is not open'));
      const { engine } = opened;
      return epochFor(client, followed, asked).andThen(({ epoch }) =>
        engine
          .words({ index: indexOf(client, epoch) }, plan)
          .mapErr((error): ExecuteError => (error.kind === 'InvalidInput' ? error : asUnavailable(error))),
      );
    },
    execute: (client, request) =>
      asked(client, request, (engine, where, plan) => engine.execute(where, plan)),
    explain: (client, request, pk) =>
      asked(client, request, (engine, where, plan) => engine.explain(where, plan, pk)),
  };
};
