import { err, errAsync, ok, type Result } from 'neverthrow';
import type { Codec } from '../../kernel/index.ts';
import { direct, transact, type Io, type MemoryDatabase } from '../../kernel/testing.ts';
import type { CatalogContent } from '../domain/catalog.ts';
import type {
  CatalogStore,
  PublishedVersion,
  UnknownVersion,
  VersionTaken,
} from '../ports/catalog-store.port.ts';

type VersionRow = PublishedVersion & { readonly upload: string; readonly parts: number };
type PartRow = { readonly bytes: Uint8Array };

/** Good enough for tests: content has no bytes and no dates. */
export const jsonCatalogCodec: Codec<CatalogContent> = {
  encode: (content) => new TextEncoder().encode(JSON.stringify(content)),
  decode: (bytes) => ok(JSON.parse(new TextDecoder().decode(bytes)) as CatalogContent),
};
const PART_BYTES = 200_000;
const key = (version: number): string => String(version).padStart(9, '0');

type Options = {
  readonly db: MemoryDatabase;
  readonly codec: Codec<CatalogContent>;
  readonly newUpload: () => string;
  readonly io?: Io;
  readonly keep?: number;
};

/** Writes the parts first, a transaction each, under a new name; then the version that names them, in one transaction. */
export const inMemoryCatalogStore = ({
  db,
  codec,
  newUpload,
  io = direct,
  keep = 20,
}: Options): CatalogStore => {
  const newest = () =>
    transact(db, io, 'catalog.current', undefined, (tx) =>
      ok(tx.scan<VersionRow>('catalog_version').at(-1)?.[1]),
    );
  const published = ({ version, publishedAtMs }: VersionRow): PublishedVersion => ({
    version,
    publishedAtMs,
  });
  return {
    current: () => newest().map((row) => row && published(row)),
    publish: (content, expected) => {
      const bytes = codec.encode(content);
      const upload = newUpload();
      const parts = Array.from({ length: Math.ceil(bytes.length / PART_BYTES) }, (_, n) =>
        bytes.slice(n * PART_BYTES, (n + 1) * PART_BYTES),
      );
      const stored = parts.reduce<ReturnType<typeof put>>(
        (before, part, n) => before.andThen(() => put(upload, n, part)),
        transact(db, io, 'catalog.begin', undefined, () => ok(undefined)),
      );
      return stored.andThen(() =>
        transact(db, io, 'catalog.publish', { expected }, (tx): Result<PublishedVersion, VersionTaken> => {
          const rows = tx.scan<VersionRow>('catalog_version');
          const actual = rows.at(-1)?.[1].version ?? 0;
          if (actual !== expected) return err({ kind: 'VersionTaken', expected, actual });
          const row: VersionRow = {
            version: expected + 1,
            publishedAtMs: tx.nowMs,
            upload,
            parts: parts.length,
          };
          tx.put('catalog_version', key(row.version), row);
          for (const [old, gone] of rows.slice(0, Math.max(0, rows.length + 1 - keep))) {
            tx.delete('catalog_version', old);
            for (let n = 0; n < gone.parts; n++) tx.delete('catalog_part', `${gone.upload}/${n}`);
          }
          return ok(published(row));
        }),
      );
      function put(name: string, n: number, part: Uint8Array) {
        return transact(db, io, 'catalog.part', { n }, (tx) => {
          tx.put('catalog_part', `${name}/${n}`, { bytes: part });
          return ok(undefined);
        });
      }
    },
    load: (version) => {
      const unknown: UnknownVersion = { kind: 'UnknownVersion', version };
      if (!Number.isInteger(version) || version < 1) return errAsync(unknown);
      return transact(db, io, 'catalog.load', { version }, (tx): Result<Uint8Array, UnknownVersion> => {
        const row = tx.get<VersionRow>('catalog_version', key(version));
        if (!row) return err(unknown);
        const bytes = Array.from({ length: row.parts }, (_, n) => [
          ...(tx.get<PartRow>('catalog_part', `${row.upload}/${n}`)?.bytes ?? []),
        ]).flat();
        return ok(Uint8Array.from(bytes));
      }).andThen((bytes) => codec.decode(bytes).mapErr(() => unknown));
    },
    versions: () =>
      transact(db, io, 'catalog.versions', undefined, (tx) =>
        ok(
          tx
            .scan<VersionRow>('catalog_version')
            .map(([, row]) => published(row))
            .reverse(),
        ),
      ),
  };
};
