import { query } from './query.ts';

/** Asks no table. */
export const PING = query({
  name: 'ping',
  parameters: {},
  results: [{ now: 'Timestamp' }],
  text: 'SELECT CurrentUtcTimestamp() AS now;',
});
