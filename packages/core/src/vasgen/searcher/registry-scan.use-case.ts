import { err, ok, type Result, type ResultAsync } from 'neverthrow';
import {
  invalidInput,
  unavailable,
  type Codec,
  type InvalidInput,
  type Unavailable,
} from '../../kernel/index.ts';
import { indexRecordOf } from '../document/indexed-document.ts';
import type { ClientName, RawDocument } from '../document/raw-document.ts';
import type { RebuildSource } from '../engine/rebuild-source.port.ts';
import type { DocumentRegistry, ScanCursor } from '../registry/document-registry.port.ts';
import { indexedOf } from '../registry/indexed-of.ts';
import type { RegistryRow } from '../registry/registry-row.ts';

const CURSOR = /^(\d{1,10})\/([\s\S]{1,512})$/;
export const scanCursorText = ({ hash, pk }: ScanCursor): string => `${hash}/${pk}`;
export const scanCursorOf = (text: string): ScanCursor | undefined => {
  const [, hash, pk] = CURSOR.exec(text) ?? [];
  return hash === undefined || pk === undefined ? undefined : { hash: Number(hash), pk };
};

export type RegistryScanNeeds = {
  readonly registry: Pick<DocumentRegistry, 'scan'>;
  readonly documents: Codec<RawDocument>;
  readonly pageRows?: number;
};
export type ScannedPage = { readonly rows: readonly RegistryRow[]; readonly next: string | undefined };
export type ScanRegistry = (
  client: ClientName,
  epoch: number,
  cursor: string,
) => ResultAsync<ScannedPage, InvalidInput | Unavailable>;

const badCursor = invalidInput({
  path: 'cursor',
  code: 'Malformed',
  message: 'use the cursor of an earlier answer',
});

/** Reads an epoch page by page. An empty cursor begins. */
export const makeScanRegistry =
  ({ registry, pageRows = 500 }: Pick<RegistryScanNeeds, 'registry' | 'pageRows'>): ScanRegistry =>
  (client, epoch, cursor) => {
    const after = cursor === '' ? undefined : scanCursorOf(cursor);
    const asked: Result<ScanCursor | undefined, InvalidInput> =
      cursor !== '' && !after ? err(badCursor) : ok(after);
    return asked.asyncAndThen((from) =>
      registry
        .scan(client, epoch, { limit: pageRows, ...(from ? { after: from } : {}) })
        .map(({ rows, next }) => ({ rows, next: next && scanCursorText(next) })),
    );
  };

/**
 * The registry as the source of a rebuild. A row whose body can't be read fails the scan: an index without it would not be
 * whole.
 */
export const registrySource = (needs: RegistryScanNeeds, client: ClientName): RebuildSource => {
  const scan = makeScanRegistry(needs);
  return {
    scan: (epoch, cursor = '') =>
      scan(client, epoch, cursor)
        .mapErr((error) =>
          error.kind === 'Unavailable' ? error : unavailable('registry scan', error, false),
        )
        .andThen(({ rows, next }) => {
          const changes = [];
          let schema = 0;
          for (const row of rows) {
            const indexed = indexedOf(row, needs.documents);
            if (indexed.isErr())
              return err(unavailable(`registry row ${row.pk}`, new Error(indexed.error), false));
            changes.push(indexRecordOf(indexed.value).change);
            schema = Math.max(schema, row.schema);
          }
          return ok({ changes, schema, ...(next === undefined ? {} : { next }) });
        }),
  };
};
