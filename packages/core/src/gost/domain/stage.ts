import { err, ok, type Result } from 'neverthrow';
import { invalidInput, type Brand, type InvalidInput } from '../../kernel/index.ts';
import type { OfferId } from './offer-id.ts';

/** An external step that looks at offers and keeps something of its own about each: a classifier, a price check. */
export type StageName = Brand<string, 'StageName'>;

const NAME = /^[a-z][a-z0-9-]{0,49}$/;
export const parseStageName = (text: string): Result<StageName, InvalidInput> =>
  NAME.test(text)
    ? ok(text as StageName)
    : err(
        invalidInput({
          ...{ path: 'stage', code: 'Malformed' },
          message: 'a letter, then letters, digits and dashes, all small, 50 at most',
        }),
      );

/** Stored: it never changes. All stages of an offer stand together. */
export const stageKey = (offerId: OfferId, stage: StageName): string => `${offerId}/${stage}`;
