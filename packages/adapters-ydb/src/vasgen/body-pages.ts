import type { ClientName, RegistryRow } from '@doska/core/vasgen';
import type { YdbTx } from '../driver/transaction.ts';
import { STATUS } from './codes.ts';
import { BODIES_OF } from './registry-queries.ts';
import { keyOf, withBody, type HeadRow } from './registry-rows.ts';

/** Rows with bodies of about this many bytes are one answer. */
const PAGE_BYTES_MAX = 1 << 20;
/** What a row takes without its body. */
const HEAD_BYTES = 200;

/** As many as fit one answer; at least one. */
export const fitting = <T>(rows: readonly T[], bytesOf: (row: T) => number): readonly T[] => {
  let bytes = 0;
  const end = rows.findIndex((row, i) => (bytes += HEAD_BYTES + bytesOf(row)) > PAGE_BYTES_MAX && i > 0);
  return end < 0 ? rows : rows.slice(0, end);
};
/** The rows with their bodies, which are read in answers of a bounded size from the snapshot of `tx`. */
export const readBodies = async (
  tx: YdbTx,
  client: ClientName,
  heads: readonly HeadRow[],
): Promise<readonly RegistryRow[]> => {
  const bodies = new Map<string, Uint8Array | undefined>();
  const alive = new Map(
    heads.filter(({ status }) => status === STATUS.code.alive).map((row) => [keyOf(row), row]),
  );
  let left: readonly HeadRow[] = [...alive.values()];
  while (left.length > 0) {
    const page = fitting(left, ({ body_bytes }) => body_bytes);
    left = left.slice(page.length);
    const keys = page.map(({ epoch, hash, pk }) => ({ client, epoch, hash, pk }));
    const [found] = await (left.length > 0 ? tx.run : tx.commit)(BODIES_OF, { keys });
    for (const { epoch, pk, body } of found) bodies.set(keyOf({ epoch, pk }), body && new Uint8Array(body));
  }
  return heads.map((row) => withBody(row, bodies));
};
