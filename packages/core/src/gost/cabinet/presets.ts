import type { Status } from '../offer/status.ts';

/** Lists of a seller's offers. The numbers are stored: they never change. */
export const PRESETS = { all: 1, active: 2, inactive: 3, banned: 4, sold: 5 } as const;
export type Preset = keyof typeof PRESETS;
/** Totals that go up and down with the offers. `Sold` and `MoneyEarned` only go up and are moved by a sale. */
export const TOTALS = { Active: 1, Expired: 2, Banned: 3, Sold: 4, MoneyEarned: 5 } as const;
export type Total = keyof typeof TOTALS;

/** Table T3: in which lists an offer of a status stands, and which total it counts for. */
export const cabinet = {
  active: { presets: ['all', 'active'], total: 'Active' },
  hidden: { presets: ['all', 'inactive'], total: undefined },
  expired: { presets: ['all', 'inactive'], total: 'Expired' },
  banned: { presets: ['all', 'banned'], total: 'Banned' },
  sold: { presets: ['all', 'sold'], total: undefined },
  removed: { presets: [], total: undefined },
} as const satisfies Record<
  Status,
  { readonly presets: readonly Preset[]; readonly total: Total | undefined }
>;

export type CabinetMove = {
  readonly added: readonly Preset[];
  readonly removed: readonly Preset[];
  /** Lists that the offer stays in are not named; a list it leaves and enters at once does not exist. */
  readonly totals: readonly { readonly total: Total; readonly by: 1 | -1 }[];
};

/** What a change of status moves: row(after) − row(before). `undefined` is an offer that is not there. */
export const moveBetween = (before: Status | undefined, after: Status | undefined): CabinetMove => {
  const from = before && cabinet[before];
  const to = after && cabinet[after];
  const left: readonly Preset[] = from?.presets ?? [];
  const entered: readonly Preset[] = to?.presets ?? [];
  const totals =
    from?.total === to?.total
      ? []
      : [
          ...(from?.total ? [{ total: from.total, by: -1 as const }] : []),
          ...(to?.total ? [{ total: to.total, by: 1 as const }] : []),
        ];
  return {
    added: entered.filter((preset) => !left.includes(preset)),
    removed: left.filter((preset) => !entered.includes(preset)),
    totals,
  };
};
