import { ExportServiceDefinition } from '@doska/adapters-proto/generated/doska/gost/v1/export_service';
import { ownerIdViolations, type GostUseCases } from '@doska/core/gost';
import { invalidInput, type Access, type InvalidInput } from '@doska/core/kernel';
import { err, ok, type Result } from 'neverthrow';
import { rpcService, type RpcService } from '@doska/adapters-rpc';
import { gostErrors } from './gost-errors.ts';

export type ExportServiceNeeds = Pick<GostUseCases, 'parkedRecords'>;

const trusted: Access = { roles: ['service', 'operator'] };
/** Undefined: the records of all keys. */
type AskedKey = Result<string | undefined, InvalidInput>;

/** Keys of exported records are ids of offers or sellers; ids of sellers are the longer ones. */
const keyFromPb = (key: string): AskedKey => {
  const violations = ownerIdViolations(key, 'key');
  return violations.length > 0 ? err(invalidInput(...violations)) : ok(key);
};
const keyOrAll = (key: string, all: boolean): AskedKey => {
  if (!all) return keyFromPb(key);
  return key === ''
    ? ok(undefined)
    : err(invalidInput({ path: 'key', code: 'Malformed', message: 'must be empty when all is set' }));
};

export const exportService = ({ parkedRecords }: ExportServiceNeeds): RpcService =>
  rpcService({
    definition: ExportServiceDefinition,
    access: { listParkedRecords: trusted, sendParkedRecords: trusted },
    errors: gostErrors,
    handlers: {
      listParkedRecords: ({ key }) =>
        (key === '' ? ok(undefined) : keyFromPb(key)).asyncAndThen((asked) =>
          parkedRecords.list(asked).map((records) => ({
            records: records.map(({ topic, key: of, atUs, bytes, reason }) => ({
              topic,
              key: of,
              atUs: BigInt(atUs),
              bytes: BigInt(bytes),
              reason,
            })),
          })),
        ),
      sendParkedRecords: ({ key, all }) =>
        keyOrAll(key, all).asyncAndThen((asked) =>
          parkedRecords.sendAgain(asked).map((records) => ({ records })),
        ),
    },
  });
