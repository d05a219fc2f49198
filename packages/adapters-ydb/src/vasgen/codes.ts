import type { ChangeKind, EpochState, Lane, QueueName, RegistryRow } from '@doska/core/vasgen';

const codes = <T extends string>(names: readonly T[]) => ({
  code: Object.fromEntries(names.map((name, i) => [name, i])) as Record<T, number>,
  name: (code: number): T => names[code]!,
});
/** The codes of the columns. A stored code never changes its meaning: new words go to the end. */
export const QUEUE = codes<QueueName>(['main', 'bulk', 'emergency', 'failed']);
export const LANE = codes<Lane>(['main', 'bulk']);
export const KIND = codes<ChangeKind>(['document', 'expiry']);
export const STATUS = codes<RegistryRow['status']>(['alive', 'tombstone']);
export const STATE = codes<EpochState>(['building', 'serving', 'retained']);
/** What a row of `vasgen_due` waits for. */
export const WHAT = { expiry: 0, tombstone: 1 } as const;
