import { grpcChannel, grpcServer, receiverService } from '@doska/adapters-grpc';
import { documentToPb } from '@doska/adapters-proto';
import { ReceiverServiceDefinition } from '@doska/adapters-proto/generated/doska/vasgen/v1/receiver_service';
import { silentTelemetry } from '@doska/core/kernel';
import { okAsync } from 'neverthrow';
import { pkHashOf, type RawDocument, type Vasgen } from '@doska/core/vasgen';
import { vasgenCodecs } from '@doska/adapters-proto';
import type pg from 'pg';
import { clock } from '../engine/own.ts';
import type { Measured } from '../harness.ts';
import { pgbench } from '../pgbench.ts';
import { client, documentOf } from './product.ts';

const RUN_MS = 4_000;
const SHARDS = 16;
export const BATCH = 500;
/** Documents of the stock that is written again and again; above every version that was written before. */
const STOCK = 20_000;
let version = 1;
const below = (n: number): number => Math.floor(Math.random() * n);
const pkOf = (number: number): string => `offer-${number}`;
/** Different pks: two documents of one pk in a batch wait for each other. */
const batchOf = (count: number, stock: number, of: number): readonly RawDocument[] => {
  const first = below(stock);
  return Array.from({ length: count }, (_, at) => documentOf(pkOf((first + at) % stock), of));
};

type Receive = Vasgen['useCases']['receiveDocuments'];
const pushed = async (
  receive: Receive,
  documents: readonly RawDocument[],
  expected: string,
): Promise<number> => {
  const verdicts = (await receive(client, documents, 'main'))._unsafeUnwrap();
  const wrong = verdicts.find(({ kind }) => kind !== expected);
  // Two callers may have the same document in the same moment: one of the two is stale then.
  if (wrong && !(expected === 'accepted' && wrong.kind === 'stale'))
    throw new Error(`a document was ${JSON.stringify(wrong)}`);
  return documents.length;
};
const forAWhile = async (callers: number, call: () => Promise<number>): Promise<Measured> => {
  const startedMs = performance.now();
  let done = 0;
  const caller = async (): Promise<void> => {
    while (performance.now() - startedMs < RUN_MS) {
      // Not `done += await …`: that adds to what stood before the wait, and other callers run meanwhile.
      const count = await call();
      done += count;
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return { value: done / ((performance.now() - startedMs) / 1_000) };
};

/** Writes the whole stock once. */
export const stocked = async (receive: Receive, stock = STOCK): Promise<void> => {
  for (let from = 0; from < stock; from += BATCH) {
    const documents = Array.from({ length: Math.min(BATCH, stock - from) }, (_, at) =>
      documentOf(pkOf(from + at), 1),
    );
    (await receive(client, documents, 'main'))._unsafeUnwrap();
  }
};
export const inBatches = (receive: Receive, stock = STOCK): Promise<Measured> =>
  forAWhile(2, () => pushed(receive, batchOf(BATCH, stock, ++version), 'accepted'));
export const singly = (receive: Receive): Promise<Measured> =>
  forAWhile(64, () => pushed(receive, batchOf(1, STOCK, ++version), 'accepted'));
/** Documents that are older than what stands: nothing is written. */
export const stale = (receive: Receive): Promise<Measured> =>
  forAWhile(2, () => pushed(receive, batchOf(BATCH, STOCK, 0), 'stale'));

/** The product's server with one stream of batches, in this process, as the in-process variant is. */
export const streamed = async (receive: Receive) => {
  const server = (
    await grpcServer({
      listen: { host: '127.0.0.1', port: 0, whenBusy: 'refuse' },
      services: [receiverService({ receiveDocuments: receive })],
      clock,
      ids: { next: () => String(Math.random()) },
      telemetry: silentTelemetry,
      authenticator: { authenticate: () => okAsync({ subject: 'bench', roles: [{ name: 'service' }] }) },
    })
  )._unsafeUnwrap();
  const channel = grpcChannel({ target: `127.0.0.1:${server.port}`, clock, token: 'bench' });
  const stub = channel.client(ReceiverServiceDefinition);
  return {
    run: (): Promise<Measured> =>
      forAWhile(2, async () => {
        const documents = batchOf(BATCH, STOCK, ++version).map(documentToPb);
        const answer = await stub.pushBatch({ client, documents, bulk: false }, { deadlineMs: 30_000 });
        return answer._unsafeUnwrap().verdicts.length;
      }),
    stop: async (): Promise<void> => {
      channel.close();
      await server.stop(1_000);
    },
  };
};

const LITERAL = `'\\x${Buffer.from(vasgenCodecs.document.encode(documentOf('limit', 1))).toString('hex')}'`;
const SCRIPT = `\\set n random(0, ${STOCK - 1})
\\set shard random(0, ${SHARDS - 1})
begin;
select pg_advisory_xact_lock_shared(7102, hashtext('limit'));
select array_agg(epoch) as living from vasgen.epoch where client = 'limit';
insert into vasgen.registry (client, epoch, hash, pk, shard, version, timestamp_ms, kind, status, written_at_ms, schema, lane, content_hash) values ('limit', 1, :n, 'limit-' || :n, :shard, -1, -1, 0, 1, -1, 0, 0, '') on conflict do nothing;
select version as seen from vasgen.registry where client = 'limit' and epoch = 1 and hash = :n and pk = 'limit-' || :n for update \\gset
\\set next :seen + 1
select version from vasgen.registry where client = 'limit' and epoch = 1 and hash = :n and pk = 'limit-' || :n and (:next, 0, 0) > (version, timestamp_ms, kind);
delete from vasgen.due d using vasgen.registry r where r.client = 'limit' and r.epoch = 1 and r.hash = :n and r.pk = 'limit-' || :n and r.expires_at_ms is not null and d.client = 'limit' and d.shard = r.shard and d.what = 0 and d.at_ms = r.expires_at_ms and d.epoch = 1 and d.pk = r.pk;
update vasgen.registry set version = :next, timestamp_ms = 0, kind = 0, status = 0, written_at_ms = 1, schema = 1, lane = 0, content_hash = '0123456789abcdef', body = ${LITERAL} where client = 'limit' and epoch = 1 and hash = :n and pk = 'limit-' || :n;
insert into vasgen.head as h (client, queue, shard, idx) values ('limit', 0, :shard, 1) on conflict (client, queue, shard) do update set idx = h.idx + 1;
insert into vasgen.element (client, queue, shard, idx, pk, hash, epoch, version, timestamp_ms) select 'limit', 0, :shard, h.idx, 'limit-' || :n, :n, 1, :next, 0 from vasgen.head h where h.client = 'limit' and h.queue = 0 and h.shard = :shard;
commit;
`;
/** Every statement of `vasgen.accept` for one document, each a round trip of its own. The body stands in the statement. */
export const limit = async (pool: pg.Pool, url: string): Promise<Measured> => {
  const count = async (): Promise<number> =>
    Number(
      (await pool.query<{ n: string }>(`select count(*) as n from vasgen.element where client = 'limit'`))
        .rows[0]?.n,
    );
  const before = await count();
  const { transactions, perSecond } = await pgbench(url, SCRIPT, { clients: 16, seconds: RUN_MS / 1_000 });
  if ((await count()) - before !== transactions) throw new Error('pgbench did not write what it says');
  return { value: perSecond };
};

/** A registry of `count` documents, as fast as the server can make it. */
export const registryOf = async (pool: pg.Pool, count: number): Promise<void> => {
  const { rows } = await pool.query<{ bodies: Buffer }>('select $1::bytea as bodies', [
    Buffer.from(vasgenCodecs.document.encode(documentOf('growth', 1))),
  ]);
  for (let from = 0; from < count; from += 5_000) {
    const pks = Array.from({ length: Math.min(5_000, count - from) }, (_, at) => pkOf(from + at));
    await pool.query(
      `insert into vasgen.registry (client, epoch, hash, pk, shard, version, timestamp_ms, kind, status, written_at_ms, schema, lane, content_hash, body)
        select $1, 1, h, p, (h % ${SHARDS})::int, 1, 0, 0, 0, 1, 1, 0, '0123456789abcdef', $4 from unnest($2::text[], $3::bigint[]) a(p, h)
        on conflict do nothing`,
      [client, pks, pks.map((pk) => pkHashOf(pk)), rows[0]!.bodies],
    );
  }
  await pool.query('vacuum (analyze) vasgen.registry');
};
