import { err, ok, type Result } from 'neverthrow';
import { limitRepeats, type Codec, type Logger, type Unavailable } from '../../kernel/index.ts';
import type { BlockedPartitions, Clock, MessageLog } from '../../kernel/index.ts';
import { indexTopic } from '../document/indexed-document.ts';
import type { ClientName, RawDocument } from '../document/raw-document.ts';
import { followTopic, type FeedState, type IndexFeed } from '../engine/follow-topic.use-case.ts';
import type { IndexRecord } from '../engine/index-record.ts';
import type { SchemaSource } from '../engine/schema-source.port.ts';
import type { SearchEngine } from '../engine/search-engine.port.ts';
import type { IndexName } from '../engine/index-name.ts';
import { epochOf, type ClientEpochs } from '../epochs/epoch.ts';
import type { UnknownClient } from '../epochs/epoch-store.port.ts';
import type { KnownEpochs } from '../epochs/known-epochs.use-case.ts';
import type { DocumentRegistry } from '../registry/document-registry.port.ts';
import { unavailable } from '../../kernel/index.ts';
import { epochOfIndex, indexOf, indexSteps, servingOf } from './client-indexes.ts';
import type { SearcherIndex } from './searcher-report.ts';
import { registrySource } from './registry-scan.use-case.ts';

export type FollowNeeds = {
  readonly engine: SearchEngine;
  readonly epochs: KnownEpochs;
  readonly registry: Pick<DocumentRegistry, 'scan'>;
  readonly log: Pick<MessageLog, 'read' | 'topics'>;
  readonly documents: Codec<RawDocument>;
  readonly records: Codec<IndexRecord>;
  readonly blocked: Pick<BlockedPartitions, 'blocked' | 'freed'>;
  readonly clock: Clock;
  readonly logger: Logger;
};
/** One client in one opened engine: an index for each living epoch, each with its feed. */
export type FollowedClient = {
  /** Makes, drops and serves indexes as the epochs ask. What fails is tried again by the next call. */
  sync(): Promise<Result<ClientEpochs, UnknownClient | Unavailable>>;
  /** The epoch that serves; undefined before the first `sync`. */
  serving(): number | undefined;
  feedOf(epoch: number): FeedState | undefined;
  /** How far each index has applied the topic. */
  progress(): Promise<Result<readonly SearcherIndex[], Unavailable>>;
  stop(): Promise<void>;
};

export const followClient = (needs: FollowNeeds, client: ClientName): FollowedClient => {
  const { engine, epochs, registry, log, documents, records, blocked, clock } = needs;
  const logger = limitRepeats(needs.logger, clock);
  const feeds = new Map<number, IndexFeed>();
  let serving: number | undefined;
  const schemas: SchemaSource = {
    current: (epoch) =>
      epochs
        .reload(client)
        .mapErr((error) => (error.kind === 'Unavailable' ? error : unavailable('epochs', error)))
        .andThen((known) => {
          const found = epochOf(known, epoch);
          return found
            ? ok({ number: found.schema.number, schema: found.schema.fields })
            : err(unavailable('epochs', new Error(`epoch ${epoch} is gone`)));
        }),
  };
  const feedIndex = (index: IndexName): IndexFeed =>
    followTopic({
      engine,
      index,
      log,
      topic: indexTopic(client),
      codec: records,
      schemas,
      rebuild: registrySource({ registry, documents }, client),
      blocked,
      clock,
      logger,
    });

  const follow = (epoch: number): void => {
    if (feeds.has(epoch)) return;
    const feed = feedIndex(indexOf(client, epoch));
    feeds.set(epoch, feed);
    void feed.ended.then((outcome) => {
      if (feeds.get(epoch) === feed) feeds.delete(epoch);
      if (outcome.isErr())
        logger.error('an index is not fed any more', { client, epoch, error: outcome.error });
    });
  };
  const unfollow = async (epoch: number): Promise<void> => {
    const feed = feeds.get(epoch);
    feeds.delete(epoch);
    await feed?.stop();
  };
  const complain = (what: string, epoch: number) => (error: unknown) =>
    logger.error(`${what} failed`, { client, epoch, error });

  const presentEpochs = async (): Promise<Result<readonly number[], Unavailable>> =>
    (await engine.indexes()).map((infos) =>
      infos.flatMap(({ name }) => {
        const epoch = epochOfIndex(client, name);
        return epoch === undefined ? [] : [epoch];
      }),
    );

  const sync: FollowedClient['sync'] = async () => {
    const known = await epochs.reload(client);
    if (known.isErr()) return err(known.error);
    const present = await presentEpochs();
    if (present.isErr()) return err(present.error);
    const { make, drop, serve } = indexSteps(present.value, known.value);
    for (const epoch of make) {
      const spec = {
        name: indexOf(client, epoch),
        epoch,
        schema: epochOf(known.value, epoch)!.schema.fields,
      };
      (await engine.create(spec)).orTee(complain('making an index', epoch));
    }
    for (const { epoch, schema } of known.value.epochs) {
      (await engine.extend(indexOf(client, epoch), schema.fields)).match(
        () => follow(epoch),
        complain('extending an index', epoch),
      );
    }
    if (serve !== undefined && serve !== serving) {
      const served = await engine.serve(servingOf(client), indexOf(client, serve));
      if (served.isOk()) serving = serve;
      else complain('serving an index', serve)(served.error);
    }
    for (const epoch of drop) {
      await unfollow(epoch);
      (await engine.drop(indexOf(client, epoch))).orTee(complain('dropping an index', epoch));
    }
    return ok(known.value);
  };

  return {
    sync,
    serving: () => serving,
    feedOf: (epoch) => feeds.get(epoch)?.state(),
    progress: async () =>
      (await engine.indexes()).map((infos) =>
        infos.flatMap(({ name, positions }) => {
          const epoch = epochOfIndex(client, name);
          if (epoch === undefined) return [];
          return [{ epoch, caughtUp: feeds.get(epoch)?.state().caughtUp ?? false, positions }];
        }),
      ),
    stop: async () => {
      const all = [...feeds.values()];
      feeds.clear();
      await Promise.all(all.map((feed) => feed.stop()));
    },
  };
};
