import { err, ok, type Result } from 'neverthrow';
import type pg from 'pg';
import type {
  CatalogContent,
  CatalogStore,
  PublishedVersion,
  UnknownVersion,
  VersionTaken,
} from '@doska/core/catalog';
import { unavailable, type Codec } from '@doska/core/kernel';
import { guard } from '../driver/guard.ts';
import { inTransaction } from '../driver/transaction.ts';

type VersionRow = { readonly version: number; readonly published_at_ms: number };
const published = ({ version, published_at_ms }: VersionRow): PublishedVersion => ({
  version,
  publishedAtMs: published_at_ms,
});

const PART_BYTES = 512 * 1024;
const COLUMNS = 'version, round(extract(epoch from published_at) * 1000)::float8 as published_at_ms';
/* Two publishers of one version collide on the primary key: the second one inserts nothing. */
const PUBLISH = `insert into catalog_version (version, upload, parts) select $1::int + 1, $2, $3
  where coalesce((select max(version) from catalog_version), 0) = $1::int on conflict do nothing returning ${COLUMNS}`;
const DROP_OLD = `with gone as (delete from catalog_version where version <= $1::int - $2::int returning upload)
  delete from catalog_part p using gone where p.upload = gone.upload`;
/* Parts that no version names: uploads whose publisher lost the race or died long ago. */
const DROP_PARTS = `delete from catalog_part p where not exists (select from catalog_version v where v.upload = p.upload)
  and (p.upload = $1 or p.written_at < clock_timestamp() - interval '1 hour')`;

export type PgCatalogOptions = {
  readonly pool: pg.Pool;
  readonly codec: Codec<CatalogContent>;
  readonly newUpload: () => string;
  /** How many versions stay readable. */ readonly keep?: number;
};

export const pgCatalogStore = ({ pool, codec, newUpload, keep = 20 }: PgCatalogOptions): CatalogStore => {
  const newest = async (db: pg.Pool | pg.PoolClient): Promise<PublishedVersion | undefined> => {
    const { rows } = await db.query<VersionRow>(
      `select ${COLUMNS} from catalog_version order by version desc limit 1`,
    );
    return rows[0] && published(rows[0]);
  };
  const writeParts = async (upload: string, bytes: Uint8Array): Promise<number> => {
    const parts = Math.ceil(bytes.length / PART_BYTES);
    for (let part = 0; part < parts; part++) {
      await pool.query('insert into catalog_part (upload, part, bytes) values ($1, $2, $3)', [
        upload,
        part,
        bytes.subarray(part * PART_BYTES, (part + 1) * PART_BYTES),
      ]);
    }
    return parts;
  };
  const makeVisible = async (
    tx: pg.PoolClient,
    expected: number,
    upload: string,
    parts: number,
  ): Promise<Result<PublishedVersion, VersionTaken>> => {
    const { rows } = await tx.query<VersionRow>(PUBLISH, [expected, upload, parts]);
    if (!rows[0]) return err({ kind: 'VersionTaken', expected, actual: (await newest(tx))?.version ?? 0 });
    await tx.query(DROP_OLD, [expected + 1, keep]);
    await tx.query(DROP_PARTS, [upload]);
    return ok(published(rows[0]));
  };
  return {
    current: () => guard('catalog.current', () => newest(pool)),
    publish: (content, expected) => {
      const upload = newUpload();
      return guard('catalog.publish', () => writeParts(upload, codec.encode(content)))
        .andThen((parts) =>
          inTransaction(pool, 'catalog.publish', (tx) => makeVisible(tx, expected, upload, parts)),
        )
        .orElse((error) =>
          guard('catalog.publish', () => pool.query(DROP_PARTS, [upload])).andThen(() => err(error)),
        );
    },
    load: (version) => {
      const unknown: UnknownVersion = { kind: 'UnknownVersion', version };
      return guard('catalog.load', async () => {
        const known = Number.isInteger(version) && version > 0;
        const { rows } = await pool.query<{ bytes: Buffer }>(
          'select p.bytes from catalog_version v join catalog_part p on p.upload = v.upload where v.version = $1 order by p.part',
          [known ? version : 0],
        );
        return rows.length > 0 ? ok(Buffer.concat(rows.map(({ bytes }) => bytes))) : err(unknown);
      })
        .andThen((found) => found)
        .andThen((bytes) =>
          codec
            .decode(bytes)
            .mapErr((cause) => unavailable(`catalogue version ${version} can't be read`, cause, false)),
        );
    },
    versions: () =>
      guard('catalog.versions', async () =>
        (
          await pool.query<VersionRow>(`select ${COLUMNS} from catalog_version order by version desc`)
        ).rows.map(published),
      ),
  };
};
