import type { ErrorTable } from '@doska/adapters-rpc';
import type { ChangeOfferError, DraftNotFound } from '@doska/core/gost';

type Spoken = ChangeOfferError | DraftNotFound;
/** The offer store's own kinds. */
type OwnKind = Exclude<Spoken['kind'], 'InvalidInput' | 'Unavailable'> | 'NotYours' | 'InvalidPageToken';

export const gostErrors = {
  NotFound: 'NOT_FOUND',
  DraftNotFound: 'NOT_FOUND',
  NotOwner: 'PERMISSION_DENIED',
  NotYours: 'PERMISSION_DENIED',
  Banned: 'FAILED_PRECONDITION',
  NotActive: 'FAILED_PRECONDITION',
  NotEditable: 'FAILED_PRECONDITION',
  Sold: 'FAILED_PRECONDITION',
  Archived: 'FAILED_PRECONDITION',
  StaleVersion: 'ABORTED',
  CommandIdReused: 'ALREADY_EXISTS',
  IdTaken: 'ALREADY_EXISTS',
  CatalogNotLoaded: 'UNAVAILABLE',
  InvalidPageToken: 'INVALID_ARGUMENT',
} as const satisfies Record<OwnKind, ErrorTable[string]>;

const dayOf = (us: number): string => new Date(us / 1_000).toISOString().slice(0, 10);
/** What a caller is told, with the field it is about. */
const wordsOf = (error: Spoken): string => {
  switch (error.kind) {
    case 'NotFound':
      return `offer_id: there is no offer ${error.offerId}`;
    case 'NotOwner':
      return 'offer_id: the offer is another seller’s';
    case 'Banned':
      return 'offer_id: the offer is banned';
    case 'NotActive':
      return 'offer_id: the offer is not active';
    case 'NotEditable':
      return 'offer_id: a sold offer can’t be edited; activate it first';
    case 'Sold':
      return 'offer_id: the offer is sold';
    case 'Archived':
      return `offer_id: the offer is in the archive since ${dayOf(error.archivedAtUs)}; a new draft is the way`;
    case 'IdTaken':
      return 'offer_id: there is such an offer already';
    case 'StaleVersion':
      return `expected_version: ${error.expected} was expected, but the offer is at ${error.actual}`;
    case 'CommandIdReused':
      return 'command_id: this id was used for another command of this offer; use a new id';
    case 'DraftNotFound':
      return `draft_id: ${error.draftId} is not the owner’s current draft`;
    case 'CatalogNotLoaded':
      return 'the catalogue is not loaded yet';
    case 'InvalidInput':
      return error.violations.map(({ path, message }) => `${path}: ${message}`).join('; ');
    case 'Unavailable':
      return 'unavailable, try again';
  }
};
export const inWords = <E extends Spoken>(error: E): E & { readonly message: string } => ({
  ...error,
  message: wordsOf(error),
});
