import { offerClient, operationsClient, queueClient, searchClient } from '@doska/adapters-grpc';
import { OFFERS_CLIENT } from '@doska/core/search';
import { err, ok } from 'neverthrow';
import { numberArgument } from './number-argument.ts';
import type { CommandResult } from './outcome.ts';
import { connect } from './platform.ts';
import { refusalInWords } from './refusal.ts';
import { searchVerdictOf, type OfferOnItsWay } from './search-why.ts';

export type SearchWhyOptions = {
  readonly text?: string;
  readonly category?: string;
  readonly filter?: readonly string[];
  readonly sort?: string;
  readonly near?: string;
  readonly pageSize?: string;
};

const UPDATES = 'gost-offer-updates';
/** Troubles that keep this offer, or offers at all, from being converted. */
const blocking = (troubles: readonly string[], offerId: string): readonly string[] =>
  troubles.filter((one) => one.includes(JSON.stringify(offerId)) || one.startsWith(`${UPDATES}/`));

/** Why an offer is in the results of a search or not: from the offer store to the index. */
export const searchWhy = async (offerId: string, options: SearchWhyOptions): Promise<CommandResult> => {
  const pageSize = numberArgument('--page-size', options.pageSize, { min: 1 });
  if (pageSize.isErr()) return err(pageSize.error);
  const channel = connect();
  if (channel.isErr()) return err(channel.error);
  const { value: platform } = channel;
  const [history, status, located, explained] = await Promise.all([
    offerClient(platform).why(offerId, 1),
    operationsClient(platform).status(),
    queueClient(platform).locate(OFFERS_CLIENT, offerId),
    searchClient(platform).explainOffer(
      {
        text: options.text ?? '',
        category: options.category ?? '',
        filters: options.filter ?? [],
        sort: options.sort ?? '',
        near: options.near ?? '',
        pageSize: pageSize.value,
        pageToken: '',
        spelling: '',
      },
      offerId,
    ),
  ]);
  platform.close();
  const isUnknown =
    history.isErr() && history.error.kind === 'Rejected' && history.error.code === 'NOT_FOUND';
  if (history.isErr() && !isUnknown) return err(refusalInWords('The offer store', history.error));
  if (located.isErr()) return err(refusalInWords('The receiver of documents', located.error));
  if (explained.isErr()) return err(refusalInWords('The search API', explained.error));
  const offer: OfferOnItsWay = {
    offerId,
    history: history.isOk() ? history.value : undefined,
    blocked: status.isOk() ? blocking(status.value.troubles, offerId) : [],
    located: located.value,
    explained: explained.value,
  };
  const { verdict, steps } = searchVerdictOf(offer);
  return ok({
    value: { ...offer, verdict, steps },
    text: [verdict, '', ...steps.map((step) => `- ${step}`)].join('\n'),
  });
};
