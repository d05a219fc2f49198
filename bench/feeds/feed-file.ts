import { createReadStream, existsSync, mkdtempSync, rmSync, statSync, createWriteStream } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { madeFeed } from '@doska/core/feeds/testing';
import type { FeedSource } from '@doska/core/feeds';
import { okAsync } from 'neverthrow';

export type FeedFile = {
  readonly path: string;
  readonly bytes: number;
  readonly offers: number;
  readonly source: FeedSource;
};
const folder = mkdtempSync(join(tmpdir(), 'doska-bench-feeds-'));
export const removeFeedFiles = (): void => rmSync(folder, { recursive: true, force: true });

/** A made feed on the disk. */
export const feedFile = async (offers: number): Promise<FeedFile> => {
  const path = join(folder, `${offers}.xml`);
  if (!existsSync(path)) {
    const out = createWriteStream(path);
    for (const chunk of madeFeed({ offers })) if (!out.write(chunk)) await once(out, 'drain');
    out.end();
    await once(out, 'finish');
  }
  const { size } = statSync(path);
  const read: FeedSource['read'] = ({ from = 0, to } = { from: 0 }) =>
    okAsync(createReadStream(path, { start: from, ...(to === undefined ? {} : { end: to - 1 }) }));
  return { path, bytes: size, offers, source: { bytes: size, read } };
};
