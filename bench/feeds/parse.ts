import { execFile } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { promisify } from 'node:util';
import { fileURLToPath } from 'node:url';
import { formatReader, utf8Decoder } from '@doska/adapters-formats';
import { defaultReadLimits } from '@doska/core/feeds';
import { SaxesParser } from 'saxes';
import type { Measured } from '../harness.ts';
import type { FeedFile } from './feed-file.ts';

const MB = 1e6;
const run = promisify(execFile);
const SCHEMA = fileURLToPath(new URL('../../../packages/adapters-formats/schema/feed.xsd', import.meta.url));
export const hasXmllint = (): Promise<boolean> =>
  run('xmllint', ['--version']).then(
    () => true,
    () => false,
  );
const rateOf = (file: FeedFile, startedMs: number): number =>
  file.bytes / MB / ((performance.now() - startedMs) / 1_000);

/** The limit: a validator in C that keeps nothing. */
export const xmllint = async (file: FeedFile): Promise<Measured> => {
  const startedMs = performance.now();
  await run('xmllint', ['--stream', '--noout', '--schema', SCHEMA, file.path]);
  return { value: rateOf(file, startedMs) };
};
/** Where there is no xmllint: the tokenizer alone. Measured elsewhere, it is 1.1 times as fast as xmllint with a schema. */
export const tokenizer = async (file: FeedFile): Promise<Measured> => {
  const startedMs = performance.now();
  const parser = new SaxesParser();
  for await (const text of createReadStream(file.path, { encoding: 'utf8', highWaterMark: 1 << 16 }))
    parser.write(text as string);
  parser.close();
  return { value: rateOf(file, startedMs) };
};
/** Objects without any check, by the product's decoder and tokenizer: what the check costs shows against `parse_xsd`. */
export const parse = async (file: FeedFile): Promise<Measured> => {
  const startedMs = performance.now();
  const parser = new SaxesParser();
  let text = '';
  let offer: Record<string, string> = {};
  let offers = 0;
  parser.on('opentag', () => (text = ''));
  parser.on('text', (more) => (text += more));
  parser.on('closetag', ({ name }) => {
    offer[name] = text;
    if (name !== 'offer') return;
    offers += 1;
    offer = {};
  });
  const decoder = utf8Decoder();
  for await (const chunk of createReadStream(file.path, { highWaterMark: 1 << 16 }))
    parser.write(decoder.decode(chunk as Uint8Array));
  parser.close();
  if (offers !== file.offers) throw new Error(`${file.offers} offers expected, ${offers} read`);
  return { value: rateOf(file, startedMs) };
};
/** The product's reader: every offer is an object and checked by the schema. */
export const parseXsd = async (file: FeedFile): Promise<Measured> => {
  const idle = process.memoryUsage().rss;
  const startedMs = performance.now();
  let offers = 0;
  let most = 0;
  for await (const step of formatReader().read(file.source, { format: 'auto', limits: defaultReadLimits })) {
    offers += step._unsafeUnwrap().offers.length;
    most = Math.max(most, process.memoryUsage().rss);
  }
  if (offers !== file.offers) throw new Error(`${file.offers} offers expected, ${offers} read`);
  return {
    value: rateOf(file, startedMs),
    figures: { rss_mb_over_start: Math.max(0.001, (most - idle) / 2 ** 20) },
  };
};
