import { timestampFromMs } from '@doska/adapters-proto';
import {
  OperationsServiceDefinition,
  type ReadTopicResponse,
} from '@doska/adapters-proto/generated/doska/operations/v1/operations';
import { invalidInput } from '@doska/core/kernel';
import { err, ok } from 'neverthrow';
import { rpcService, type RpcService } from '@doska/adapters-rpc';
import { statusToPb } from './operations.mapper.ts';
import type { StatusSource } from './platform-status.ts';
import type { ReadTopic, TopicRecord } from './topic-record.ts';

const LIMIT = { standard: 20, max: 1_000 };
const recordToPb = ({ record: { key, value, headers, timestampMs, position }, json }: TopicRecord) =>
  ({
    key,
    partition: position.partition,
    offset: BigInt(position.offset),
    at: timestampFromMs(timestampMs),
    headers: { ...headers },
    value,
    json: json ?? '',
  }) satisfies ReadTopicResponse;

/** The platform's status and topics, for operators and our own services. */
export const operationsService = (source: StatusSource, readTopic: ReadTopic): RpcService =>
  rpcService({
    definition: OperationsServiceDefinition,
    handlers: {
      getStatus: async () => ok(statusToPb(await source.status())),
      readTopic: async function* ({ topic, key, limit }, { signal }) {
        if (limit > LIMIT.max) {
          yield err(invalidInput({ path: 'limit', code: 'TooLarge', message: `at most ${LIMIT.max}` }));
          return;
        }
        const query = { topic, limit: limit === 0 ? LIMIT.standard : limit, ...(key === '' ? {} : { key }) };
        for await (const record of readTopic(query, signal)) yield record.map(recordToPb);
      },
    },
    access: {
      getStatus: { roles: ['operator', 'service'] },
      readTopic: { roles: ['operator', 'service'] },
    },
    errors: {
      UnknownTopic: 'NOT_FOUND',
      UnknownPartition: 'ABORTED',
      PositionGone: 'ABORTED',
      ForeignPosition: 'ABORTED',
    },
  });
