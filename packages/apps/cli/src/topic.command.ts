import { operationsClient, type ReadRecord } from '@doska/adapters-grpc';
import { err, ok } from 'neverthrow';
import { numberArgument } from './number-argument.ts';
import { EXIT, problem, type CommandResult } from './outcome.ts';
import { connect } from './platform.ts';

export type TopicReadOptions = { readonly key?: string; readonly limit?: string };

const inWords = ({ key, partition, offset, atMs, json, value }: ReadRecord): string =>
  [
    `${partition}/${offset}  ${new Date(atMs).toISOString()}  ${key}`,
    json === '' ? `  ${value.length} bytes: ${Buffer.from(value).toString('base64')}` : `  ${json}`,
  ].join('\n');
const forPrograms = ({ json, value, ...place }: ReadRecord) => ({
  ...place,
  value: json === '' ? Buffer.from(value).toString('base64') : (JSON.parse(json) as unknown),
});

/** What a topic holds, oldest first. */
export const topicRead = async (topic: string, { key, limit }: TopicReadOptions): Promise<CommandResult> => {
  const most = numberArgument('--limit', limit);
  if (most.isErr()) return err(most.error);
  const channel = connect();
  if (channel.isErr()) return err(channel.error);
  const query = {
    topic,
    ...(key ? { key } : {}),
    ...(most.value === undefined ? {} : { limit: most.value }),
  };
  const records: ReadRecord[] = [];
  try {
    for await (const record of operationsClient(channel.value).readTopic(query)) {
      if (record.isErr()) {
        const away = record.error.kind === 'Unavailable';
        const words = 'message' in record.error ? record.error.message : JSON.stringify(record.error);
        return err(problem(`${topic}: ${words}`, away ? EXIT.unavailable : EXIT.refused));
      }
      records.push(record.value);
    }
  } finally {
    channel.value.close();
  }
  return ok({
    value: records.map(forPrograms),
    text: records.length > 0 ? records.map(inWords).join('\n') : 'nothing',
  });
};
