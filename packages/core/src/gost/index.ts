export {
  cabinet,
  moveBetween,
  PRESETS,
  TOTALS,
  type CabinetMove,
  type Preset,
  type Total,
} from './domain/cabinet.ts';
export {
  decideCurrentDraft,
  type CurrentDraft,
  type CurrentDraftQuestion,
  type Draft,
  type DraftId,
  type DraftMaking,
  type DraftOwner,
} from './domain/draft.ts';
export {
  afterUnban,
  countSale,
  lifecycleTable,
  moveLifecycle,
  type LifecycleCommand,
  type Refusal,
  type Sale,
  type Standing,
} from './domain/lifecycle.ts';
export {
  formatOfferId,
  offerIdFrom,
  parseOfferId,
  type InvalidOfferId,
  type OfferId,
} from './domain/offer-id.ts';
export { LIFECYCLES, STATUSES, statusOf, type Lifecycle, type Status } from './domain/status.ts';
