import { err, ok, type Result } from 'neverthrow';
import { invalidInput, type Brand, type InvalidInput } from '../../kernel/index.ts';
import { stageNameViolations } from '../offer/field-rules.ts';
import type { OfferId } from '../offer/offer-id.ts';

/** An external step that looks at offers and keeps something of its own about each: a classifier, a price check. */
export type StageName = Brand<string, 'StageName'>;

export const parseStageName = (text: string): Result<StageName, InvalidInput> => {
  const found = stageNameViolations(text);
  return found.length > 0 ? err(invalidInput(...found)) : ok(text as StageName);
};

/** Stored: it never changes. All stages of an offer stand together. */
export const stageKey = (offerId: OfferId, stage: StageName): string => `${offerId}/${stage}`;
