import { offerClient, type ToldHistory } from '@doska/adapters-grpc';
import { err } from 'neverthrow';
import { numberArgument } from './number-argument.ts';
import type { CommandResult } from './outcome.ts';
import { connect } from './platform.ts';
import { refusalInWords } from './refusal.ts';

export type OfferWhyOptions = { readonly limit?: string };

const EVENTS = 10;
const inWords = ({ why, events }: ToldHistory): string =>
  [...why, '', ...events.map(({ version, sentence }) => `${version}. ${sentence}`)].join('\n');

/** Why an offer is in the state it is in: the answer, then what was decided about it, newest first. */
export const offerWhy = async (id: string, { limit }: OfferWhyOptions): Promise<CommandResult> => {
  const events = numberArgument('--limit', limit, { min: 1 });
  if (events.isErr()) return err(events.error);
  const channel = connect();
  if (channel.isErr()) return err(channel.error);
  const told = await offerClient(channel.value).why(id, events.value ?? EVENTS);
  channel.value.close();
  return told
    .map((value) => ({ value, text: inWords(value) }))
    .mapErr((error) => refusalInWords('The offer store', error));
};
