import {
  searchParkingClient,
  type RpcError,
  type SearchParkingClient,
  type ToldParkedOffer,
} from '@doska/adapters-grpc';
import { err, ok, type Result, type ResultAsync } from 'neverthrow';
import type { CommandOutput, CommandResult } from './outcome.ts';
import { relative, table } from './output.ts';
import { connect } from './platform.ts';
import { refusalInWords } from './refusal.ts';

export type ParkOptions = { readonly reason?: string };

const PAGE = 1_000;

const ask = async (
  question: (
    client: SearchParkingClient,
  ) => ResultAsync<CommandOutput, RpcError> | Promise<Result<CommandOutput, RpcError>>,
): Promise<CommandResult> => {
  const channel = connect();
  if (channel.isErr()) return err(channel.error);
  const answer = await question(searchParkingClient(channel.value));
  channel.value.close();
  return answer.mapErr((error) => refusalInWords('The search scheduler', error));
};

const inWords = (offers: readonly ToldParkedOffer[], nowMs: number): string =>
  offers.length === 0
    ? 'No offer is parked.'
    : table(
        ['offer', 'cause', 'since', 'attempts', 'next retry', 'reason'],
        offers.map(({ offerId, cause, sinceMs, attempts, retryAtMs, sent, reason }) => ({
          offer: offerId,
          cause,
          since: relative(sinceMs, nowMs),
          attempts,
          'next retry': sent ? 'sent' : relative(retryAtMs, nowMs),
          reason,
        })),
      );

/** Offers that are retried apart from their partition. */
export const schedulerParked = (): Promise<CommandResult> =>
  ask(async (client) => {
    const all: ToldParkedOffer[] = [];
    for (let after = ''; ;) {
      const page: Result<readonly ToldParkedOffer[], RpcError> = await client.list(after, PAGE);
      if (page.isErr()) return err(page.error);
      all.push(...page.value);
      if (page.value.length < PAGE) return ok({ value: all, text: inWords(all, Date.now()) });
      after = all.at(-1)!.offerId;
    }
  });

/** Takes an offer out of the way of its partition. */
export const schedulerPark = (id: string, { reason = '' }: ParkOptions): Promise<CommandResult> =>
  ask((client) =>
    client.park(id, reason).map(() => ({
      value: { offer: id },
      text: `${id} is parked. If it blocks a partition, the partition goes on at its next attempt.`,
    })),
  );

/** Retries a parked offer now. */
export const schedulerUnpark = (id: string): Promise<CommandResult> =>
  ask((client) =>
    client.unpark(id).map((parked) => ({
      value: { offer: id, parked: parked ?? null },
      text: parked
        ? parked.sent
          ? `${id} was sent again. It leaves the lot if the receiver does not refuse it.`
          : `${id} stays parked: ${parked.reason}.`
        : `${id} was sent to the index and is not parked any more.`,
    })),
  );
