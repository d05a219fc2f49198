import { exportClient, type ExportClient, type RpcError, type ToldParkedRecord } from '@doska/adapters-grpc';
import type { ResultAsync } from 'neverthrow';
import { err } from 'neverthrow';
import { EXIT, problem, type CommandOutput, type CommandResult } from './outcome.ts';
import { connect } from './platform.ts';
import { refusalInWords } from './refusal.ts';

export type ExportUnparkOptions = { readonly all?: boolean };

const inWords = ({ topic, key, atUs, bytes, reason }: ToldParkedRecord): string =>
  `${new Date(atUs / 1_000).toISOString()}  ${topic}  ${key}  ${bytes} bytes: ${reason}`;

const ask = async (
  question: (client: ExportClient) => ResultAsync<CommandOutput, RpcError>,
): Promise<CommandResult> => {
  const channel = connect();
  if (channel.isErr()) return err(channel.error);
  const answer = await question(exportClient(channel.value));
  channel.value.close();
  return answer.mapErr((error) => refusalInWords('The offer store', error));
};

/** Records that their topic refused because of their size. */
export const exportParked = (key = ''): Promise<CommandResult> =>
  ask((client) =>
    client.parked(key).map((records) => ({
      value: records,
      text: records.length > 0 ? records.map(inWords).join('\n') : 'No record is parked.',
    })),
  );

/** Sends parked records again: those of a key, or all. */
export const exportUnpark = async (
  key: string | undefined,
  { all = false }: ExportUnparkOptions,
): Promise<CommandResult> => {
  if ((key === undefined) !== all)
    return err(problem('Name the key of the records (see doska export parked), or say --all.', EXIT.usage));
  return ask((client) =>
    client.sendAgain({ key: key ?? '', all }).map((records) => ({
      value: { records },
      text: `${records} records are sent again. One call sends 100 at most. A record that is still too large is parked again.`,
    })),
  );
};
