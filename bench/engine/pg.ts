import pg from 'pg';
import { benchPostgres } from '../postgres.ts';
import { inBatches, type Peer, type PeerDocument } from './peer.ts';

const COLUMNS: readonly (readonly [string, string])[] = [
  ['root', 'text'],
  ['middle', 'text'],
  ['category', 'text'],
  ['brand', 'text'],
  ['condition', 'text'],
  ['delivery', 'bool'],
  ['price', 'float8'],
  ['year', 'int'],
  ['created', 'bigint'],
  ['ctr', 'float8'],
];

/** PostgreSQL full text search with the mid-level category in the same GIN index; one connection, named statements. */
export const pgPeer = async (): Promise<Peer> => {
  const server = await benchPostgres({
    shared_buffers: '1GB',
    work_mem: '64MB',
    maintenance_work_mem: '512MB',
  });
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  await client.query(`CREATE EXTENSION IF NOT EXISTS btree_gin`);
  await client.query(
    `CREATE UNLOGGED TABLE d (id int PRIMARY KEY, words tsvector, ${COLUMNS.map(([name, type]) => `${name} ${type}`).join(', ')})`,
  );
  const insert = (batch: readonly PeerDocument[]): Promise<unknown> => {
    const arrays = [
      batch.map(({ number }) => number),
      batch.map(({ title }) => title),
      batch.map(({ description }) => description),
      ...COLUMNS.map(([name]) => batch.map(({ fields }) => fields[name])),
    ];
    const types = ['int', 'text', 'text', ...COLUMNS.map(([, type]) => type)];
    const unnested = types.map((type, at) => `$${at + 1}::${type}[]`).join(', ');
    const names = COLUMNS.map(([name]) => name).join(', ');
    return client.query({
      name: 'load',
      text: `INSERT INTO d SELECT id, setweight(to_tsvector('simple', t), 'A') || to_tsvector('simple', b), ${names}
        FROM unnest(${unnested}) AS u(id, t, b, ${names})`,
      values: arrays,
    });
  };
  return {
    name: 'pg',
    load: async (documents) => {
      for (const batch of inBatches(documents, 2000)) await insert(batch);
      await client.query('CREATE INDEX ON d USING gin (words, middle)');
      await client.query('CREATE INDEX ON d (root, condition, delivery, brand)');
      await client.query('VACUUM ANALYZE d');
    },
    query: async (query, stems) => {
      if (query.kind === 'q2') {
        const where = `root = $1 AND brand = ANY($2) AND condition = $3 AND delivery = $4 AND price BETWEEN $5 AND $6 AND year BETWEEN $7 AND $8`;
        const values = [
          query.root,
          query.brands,
          query.condition,
          query.delivery,
          ...query.price!,
          ...query.year!,
        ];
        const { rows } = await client.query<{ id: number; total: string }>({
          name: 'q2',
          text: `WITH m AS MATERIALIZED (SELECT id, created FROM d WHERE ${where})
            SELECT id, (SELECT count(*) FROM m) AS total FROM m ORDER BY created DESC LIMIT 20`,
          values,
        });
        return { total: Number(rows[0]?.total ?? 0), facets: 0, hits: rows.length };
      }
      const narrowed = query.kind === 'q1' ? 'AND middle = $2 AND price BETWEEN $3 AND $4' : '';
      const { rows } = await client.query<{ hits: string[] | null; facets: Record<string, number> | null }>({
        name: query.kind,
        text: `WITH m AS MATERIALIZED (SELECT id, category, ts_rank(words, q) * (1 + ctr) AS s
              FROM d, to_tsquery('simple', $1) AS q WHERE words @@ q ${narrowed})
            SELECT (SELECT array_agg(id) FROM (SELECT id FROM m ORDER BY s DESC LIMIT 20) t) AS hits,
              (SELECT json_object_agg(category, n) FROM (SELECT category, count(*) AS n FROM m GROUP BY 1) f) AS facets`,
        values: [stems.join(' & '), ...(query.kind === 'q1' ? [query.middle, ...query.price!] : [])],
      });
      const counts = Object.values(rows[0]?.facets ?? {});
      return {
        total: counts.reduce((sum, n) => sum + n, 0),
        facets: counts.length,
        hits: rows[0]?.hits?.length ?? 0,
      };
    },
    close: async () => {
      await client.end();
      await server.stop();
    },
  };
};
