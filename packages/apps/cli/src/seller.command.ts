import { feedClient, offerClient, type ErasedSlice } from '@doska/adapters-grpc';
import { err, ok } from 'neverthrow';
import { EXIT, problem, type CommandResult } from './outcome.ts';
import { connect } from './platform.ts';
import { makeProgress } from './progress.ts';
import { refusalInWords } from './refusal.ts';

export type SellerEraseOptions = { readonly yes?: boolean };

/** Erases the personal data of a seller, one slice of offers per call. After an interruption, run it again. */
export const sellerErase = async (
  id: string,
  { yes = false }: SellerEraseOptions,
): Promise<CommandResult> => {
  if (!yes)
    return err(
      problem(
        `All offers of seller ${id} would be removed and their content deleted. This can not be undone. Add --yes to do it.`,
        EXIT.usage,
      ),
    );
  const channel = connect();
  if (channel.isErr()) return err(channel.error);
  const client = offerClient(channel.value);
  const progress = makeProgress({ stream: process.stderr, nowMs: () => Date.now(), unit: 'offers' });
  const sum = { offers: 0, erased: 0, historyEntries: 0, feeds: 0 };
  try {
    for (let cursor = ''; ;) {
      const slice = await client.eraseSeller(id, cursor);
      if (slice.isErr()) return err(refusalInWords('The offer store', slice.error));
      const { offers, erased, historyEntries }: ErasedSlice = slice.value;
      sum.offers += offers;
      sum.erased += erased;
      sum.historyEntries += historyEntries;
      progress.at(sum.offers);
      cursor = slice.value.cursor;
      if (cursor === '') break;
    }
    const feeds = await feedClient(channel.value).erase(id);
    if (feeds.isErr()) return err(refusalInWords('The feeds', feeds.error));
    sum.feeds = feeds.value;
  } finally {
    progress.end();
    channel.value.close();
  }
  return ok({
    value: sum,
    text: `${sum.erased} of ${sum.offers} offers had content and are empty now; ${sum.historyEntries} history entries were cleaned; ${sum.feeds} feeds were erased`,
  });
};
