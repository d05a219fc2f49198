import { err, errAsync, ok, okAsync, type Result, type ResultAsync } from 'neverthrow';
import type { GenericStorage, Unavailable, ValueTooLarge, VersionConflict } from '../../kernel/index.ts';
import type { Archived, Refused } from '../offer/command.ts';
import type { OfferId } from '../offer/offer-id.ts';
import { stageKey, type StageName } from './stage.ts';
import type { OfferArchive } from '../archive/offer-archive.port.ts';
import type { OfferStore } from '../commit/offer-store.port.ts';

export type StagesNeeds = {
  readonly load: OfferStore['load'];
  readonly archive: Pick<OfferArchive, 'find'>;
  readonly storage: GenericStorage;
  /** Of one state. */
  readonly bytesMax: number;
};
/** What a stage keeps of an offer. Version 0: nothing was ever put, the bytes are none. */
export type StageState = { readonly version: number; readonly state: Uint8Array };
type Place = { readonly offerId: OfferId; readonly stage: StageName };

/** State per offer and stage, in bytes that only the stage understands. It changes no version of the offer and publishes nothing. */
export interface Stages {
  /** Of a removed and of an archived offer too. */
  get(place: Place): ResultAsync<StageState, Refused | Unavailable>;
  /**
   * Puts the state if it is still at version `expected` (0: nothing was put yet) and answers the new version. Of racing
   * puts on one version one wins. Nothing is put for an offer that is removed or archived.
   */
  put(
    place: Place & { readonly state: Uint8Array; readonly expected: number },
  ): ResultAsync<number, Refused | Archived | VersionConflict | ValueTooLarge | Unavailable>;
}

export const STAGES_SPACE = 'gost.stages';

export const makeStages = ({ load, archive, storage, bytesMax }: StagesNeeds): Stages => {
  /** Whether the offer may still get a state; why not. */
  const known = (offerId: OfferId): ResultAsync<Refused | Archived | undefined, Refused | Unavailable> =>
    load([offerId]).andThen(([offer]): ResultAsync<Refused | Archived | undefined, Refused | Unavailable> => {
      const gone: Refused = { kind: 'NotFound', offerId };
      if (offer) return okAsync(offer.lifecycle === 'removed' ? gone : undefined);
      return archive
        .find([offerId])
        .andThen(([pointer]): Result<Archived, Refused> =>
          pointer ? ok({ kind: 'Archived', offerId, archivedAtUs: pointer.archivedAtUs }) : err(gone),
        );
    });
  return {
    get: ({ offerId, stage }) =>
      known(offerId)
        .andThen(() => storage.get(STAGES_SPACE, [stageKey(offerId, stage)]))
        .map(([stored]) => ({ version: stored?.version ?? 0, state: stored?.value ?? new Uint8Array() })),
    put: ({ offerId, stage, state, expected }) => {
      const key = stageKey(offerId, stage);
      const bytes = state.byteLength;
      if (bytes > bytesMax) return errAsync({ kind: 'ValueTooLarge', key, bytes, bytesMax });
      return known(offerId)
        .andThen((refusal) => (refusal ? err(refusal) : ok(undefined)))
        .andThen(() => storage.put(STAGES_SPACE, key, state, expected));
    },
  };
};
