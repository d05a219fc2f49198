import type { ErrorTable } from '@doska/adapters-rpc';
import { invalidInput, type InvalidInput } from '@doska/core/kernel';
import { clientName, type ClientName } from '@doska/core/vasgen';
import { err, ok, type Result } from 'neverthrow';

/** The kinds of indexing. A plan that can't be run is the caller's mistake. */
export const vasgenErrors = {
  UnknownClient: 'NOT_FOUND',
  UnknownEpoch: 'NOT_FOUND',
  EpochRefused: 'FAILED_PRECONDITION',
  EpochBehind: 'FAILED_PRECONDITION',
  EpochsMoved: 'ABORTED',
  PlanInvalid: 'INVALID_ARGUMENT',
  NotYours: 'PERMISSION_DENIED',
} as const satisfies ErrorTable;

/** The kinds of the archive. A damaged segment is told with its words, so it is no internal error. */
export const archiveErrors = {
  UnknownClient: 'NOT_FOUND',
  UnknownEpoch: 'NOT_FOUND',
  UnknownSegment: 'NOT_FOUND',
  SegmentLost: 'FAILED_PRECONDITION',
  SegmentDamaged: 'FAILED_PRECONDITION',
} as const satisfies ErrorTable;

type Worded =
  | { readonly kind: 'UnknownClient'; readonly client: string }
  | { readonly kind: 'UnknownEpoch'; readonly epoch: number; readonly living: readonly number[] };
/** Says what a caller needs to know. Errors that carry their own words stay as they are. */
export const withMessage = <E extends { readonly kind: string }>(error: E): E & { message?: string } => {
  const known = error as unknown as Worded;
  if (known.kind === 'UnknownClient')
    return { ...error, message: `client: there is no client ${known.client}` };
  if (known.kind === 'UnknownEpoch')
    return { ...error, message: `epoch: ${known.epoch} is not living; there is: ${known.living.join(', ')}` };
  return error;
};

export const clientFromPb = (text: string): Result<ClientName, InvalidInput> => {
  const client = clientName(text);
  return client
    ? ok(client)
    : err(
        invalidInput({
          path: 'client',
          code: 'Malformed',
          message: 'a client has 1 to 40 small letters, digits and -, and begins with a letter',
        }),
      );
};
/** An epoch of a request; 0: none is named. */
export const epochFromPb = (epoch: bigint): Result<number | undefined, InvalidInput> => {
  if (epoch === 0n) return ok(undefined);
  return epoch > 0n && epoch <= BigInt(Number.MAX_SAFE_INTEGER)
    ? ok(Number(epoch))
    : err(invalidInput({ path: 'epoch', code: 'Range', message: 'a whole number from 1 to 2^53 - 1' }));
};
