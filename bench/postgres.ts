import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '@doska/adapters-pg/embedded';

export type BenchPostgres = { readonly url: string; readonly port: number; stop(): Promise<void> };

/** As in production: every commit is on the disk before it is acknowledged. */
const DURABLE = {
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  max_connections: '200',
  shared_buffers: '512MB',
  max_wal_size: '2GB',
};

/** A server of the benchmark's own, removed with its data. Baseline and subject share it. */
export const benchPostgres = async (
  settings: Readonly<Record<string, string>> = {},
): Promise<BenchPostgres> => {
  const dataDir = mkdtempSync(join(tmpdir(), 'doska-bench-'));
  chmodSync(dataDir, 0o755); // as root the server runs as another user
  const remove = (): void => rmSync(dataDir, { recursive: true, force: true });
  const started = await startEmbeddedPostgres({ dataDir, settings: { ...DURABLE, ...settings } });
  if (started.isErr()) {
    remove();
    throw new Error(started.error.message);
  }
  const { url, port, stop } = started.value;
  return { url, port, stop: () => stop().then(remove) };
};
