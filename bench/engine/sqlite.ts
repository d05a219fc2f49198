import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { requirePeer } from '../tools.ts';
import type { BenchQuery } from './corpus.ts';
import { inBatches, type Peer, type PeerAnswer } from './peer.ts';

type Statement = { run(...args: unknown[]): void; all(...args: unknown[]): Record<string, unknown>[] };
type Database = { exec(sql: string): void; prepare(sql: string): Statement; close(): void };

const CLAUSES = {
  q1: 'fts MATCH @words AND d.middle = @middle AND d.price BETWEEN @low AND @high',
  q3: 'fts MATCH @words',
};

/** SQLite FTS5 in this process: bm25() needs detail=full; the composite index is Q2's best case. */
export const sqlitePeer = (): Peer => {
  const Sqlite = requirePeer('better-sqlite3') as new (file: string) => Database;
  const dir = mkdtempSync(join(tmpdir(), 'doska-bench-sqlite-'));
  const db = new Sqlite(join(dir, 'peer.db'));
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA cache_size = -524288; PRAGMA mmap_size = 4294967296;
    CREATE TABLE d (id INTEGER PRIMARY KEY, root TEXT, middle TEXT, category TEXT, brand TEXT, condition TEXT,
      delivery INTEGER, price REAL, year INTEGER, created INTEGER, ctr REAL);
    CREATE VIRTUAL TABLE fts USING fts5(title, description, content='', detail=full, tokenize="unicode61");`);
  const statements = new Map<string, Statement>();
  const prepared = (sql: string): Statement => {
    const known = statements.get(sql) ?? db.prepare(sql);
    statements.set(sql, known);
    return known;
  };
  const chronological = (query: BenchQuery): PeerAnswer => {
    const where = `root = ? AND brand IN (?,?,?) AND condition = ? AND delivery = ? AND price BETWEEN ? AND ? AND year BETWEEN ? AND ?`;
    const args = [
      query.root,
      ...query.brands!,
      query.condition,
      Number(query.delivery),
      ...query.price!,
      ...query.year!,
    ];
    const hits = prepared(`SELECT id FROM d WHERE ${where} ORDER BY created DESC LIMIT 20`).all(...args);
    const [count] = prepared(`SELECT count(*) AS n FROM d WHERE ${where}`).all(...args);
    return { total: Number(count!['n']), facets: 0, hits: hits.length };
  };
  return {
    name: 'sqlite',
    load: async (documents) => {
      const row = db.prepare('INSERT INTO d VALUES (?,?,?,?,?,?,?,?,?,?,?)');
      const text = db.prepare('INSERT INTO fts (rowid, title, description) VALUES (?,?,?)');
      for (const batch of inBatches(documents, 5000)) {
        db.exec('BEGIN');
        for (const { number, fields: f, title, description } of batch) {
          row.run(
            number + 1,
            f['root'],
            f['middle'],
            f['category'],
            f['brand'],
            f['condition'],
            Number(f['delivery']),
            f['price'],
            f['year'],
            f['created'],
            f['ctr'],
          );
          text.run(number + 1, title, description);
        }
        db.exec('COMMIT');
        await new Promise((resolve) => setImmediate(resolve));
      }
      db.exec(`INSERT INTO fts (fts) VALUES ('optimize');
        CREATE INDEX q2 ON d (root, condition, delivery, brand, created, price, year); ANALYZE;`);
    },
    query: async (query, stems) => {
      if (query.kind === 'q2') return chronological(query);
      const from = `FROM fts JOIN d ON d.id = fts.rowid WHERE ${CLAUSES[query.kind]}`;
      const args = {
        words: stems.map((stem) => `"${stem}"`).join(' '),
        ...(query.kind === 'q1' ? { middle: query.middle, low: query.price![0], high: query.price![1] } : {}),
      };
      const hits = prepared(
        `SELECT d.id, bm25(fts, 3.0, 1.0) * (1 + d.ctr) AS s ${from} ORDER BY s LIMIT 20`,
      ).all(args);
      const facets = prepared(`SELECT d.category, count(*) AS n ${from} GROUP BY d.category`).all(args);
      return {
        total: facets.reduce((sum, one) => sum + Number(one['n']), 0),
        facets: facets.length,
        hits: hits.length,
      };
    },
    close: async () => {
      db.close();
      rmSync(dir, { recursive: true, force: true });
    },
  };
};
