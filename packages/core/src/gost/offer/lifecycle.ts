import { err, ok, type Result } from 'neverthrow';
import type { Lifecycle } from './status.ts';

export type LifecycleCommand =
  'edit' | 'activate' | 'hide' | 'sell' | 'expire' | 'remove' | 'feedUpdate' | 'manual' | 'photos' | 'erase';
export type Refusal = 'NotEditable' | 'NotActive' | 'Banned' | 'NotFound' | 'Sold';
/** `-` changes nothing: it commits and emits nothing. A lifecycle is where the command leads. */
type Cell = Lifecycle | '-' | Refusal;

/**
 * Table T2: what an offer's owner, time and feeds do. `load` is an entry of a feed, `manual` a feed that lets go; an entry
 * for what is removed makes a new offer. `erase` works on what is removed too.
 */
export const lifecycleTable = {
  edit: { active: 'active', hidden: 'hidden', expired: 'expired', sold: 'NotEditable', removed: 'NotFound' },
  activate: { active: '-', hidden: 'active', expired: 'active', sold: 'active', removed: 'NotFound' },
  hide: { active: 'hidden', hidden: '-', expired: '-', sold: 'NotActive', removed: 'NotFound' },
  sell: { active: 'sold', hidden: 'sold', expired: 'sold', sold: '-', removed: 'NotFound' },
  expire: { active: 'expired', hidden: '-', expired: '-', sold: '-', removed: '-' },
  remove: { active: 'removed', hidden: 'removed', expired: 'removed', sold: 'removed', removed: '-' },
  feedUpdate: { active: 'active', hidden: 'hidden', expired: 'active', sold: 'Sold', removed: 'NotFound' },
  manual: { active: 'active', hidden: 'hidden', expired: 'expired', sold: 'sold', removed: '-' },
  photos: { active: 'active', hidden: 'hidden', expired: 'expired', sold: 'sold', removed: '-' },
  erase: { active: 'removed', hidden: 'removed', expired: 'removed', sold: 'removed', removed: 'removed' },
} as const satisfies Record<LifecycleCommand, Record<Lifecycle, Cell>>;

/** The column "any + banned" of T2: what a ban changes of a row. A command that is not named goes by its lifecycle. */
const underBan: Partial<Record<LifecycleCommand, (editable: boolean, lifecycle: Lifecycle) => Cell>> = {
  edit: (editable, lifecycle) => (editable ? lifecycle : 'Banned'),
  activate: () => 'Banned',
  sell: () => 'Banned',
  feedUpdate: (editable, lifecycle) => (editable ? lifecycleTable.feedUpdate[lifecycle] : 'Banned'),
};

const REFUSALS: ReadonlySet<string> = new Set<Refusal>([
  ...(['NotEditable', 'NotActive', 'Banned', 'NotFound', 'Sold'] as const),
]);
const isRefusal = (cell: Cell): cell is Refusal => REFUSALS.has(cell);

export type Standing = {
  readonly lifecycle: Lifecycle;
  /** Undefined: not banned. */ readonly ban: { readonly editable: boolean } | undefined;
};
/** Where a command leads; undefined when it changes nothing. */
export const moveLifecycle = (
  { lifecycle, ban }: Standing,
  command: LifecycleCommand,
): Result<Lifecycle | undefined, Refusal> => {
  const banned = lifecycle === 'removed' || !ban ? undefined : underBan[command];
  const cell: Cell = banned && ban ? banned(ban.editable, lifecycle) : lifecycleTable[command][lifecycle];
  if (cell === '-') return ok(undefined);
  return isRefusal(cell) ? err(cell) : ok(cell);
};

/** Without its ban an offer is what its lifecycle says; one that should have expired meanwhile expires in the same commit. */
export const afterUnban = (
  lifecycle: Lifecycle,
  { expiresAtUs, nowUs }: { readonly expiresAtUs: number | undefined; readonly nowUs: number },
): Lifecycle =>
  lifecycle === 'active' && expiresAtUs !== undefined && expiresAtUs <= nowUs ? 'expired' : lifecycle;

export type Sale = { readonly counts: boolean; readonly soldOnPlatform: boolean };
/** `Sold` counts an offer once, when it is first sold on the platform, also if it was marked as sold elsewhere before. */
export const countSale = (soldOnPlatform: boolean, onPlatform: boolean): Sale => ({
  counts: onPlatform && !soldOnPlatform,
  soldOnPlatform: soldOnPlatform || onPlatform,
});
