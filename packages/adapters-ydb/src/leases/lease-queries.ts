import { query, rows } from '../driver/query.ts';
import * as tables from '../schema/lease-tables.ts';

const key = { set_name: 'Utf8', shard: 'Uint32' } as const;
const MEMBER = { member: 'Utf8', expires_at: 'Timestamp' } as const;
const LEASE = { shard: 'Uint32', token: 'Uint64', owner: 'Utf8?', expires_at: 'Timestamp?' } as const;
/** The rows of one page: as many as one result holds. */
export const PAGE_ROWS = 1_000;

/** The current state of a set, by the clock of the database: the first page of its members and of its leases. */
export const LEASE_VIEW = query({
  name: 'lease/view',
  parameters: { set_name: 'Utf8' },
  results: [{ now: 'Timestamp' }, { shards: 'Uint32' }, MEMBER, LEASE],
  text: `SELECT CurrentUtcTimestamp() AS now;
SELECT shards FROM lease_set WHERE set_name = $set_name;
SELECT member, expires_at FROM lease_member WHERE set_name = $set_name ORDER BY set_name, member LIMIT ${PAGE_ROWS};
SELECT shard, token, owner, expires_at FROM lease WHERE set_name = $set_name ORDER BY set_name, shard LIMIT ${PAGE_ROWS};`,
});
export const MEMBERS_AFTER = query({
  name: 'lease/members-after',
  parameters: { set_name: 'Utf8', after: 'Utf8' },
  results: [MEMBER],
  text: `SELECT member, expires_at FROM lease_member WHERE set_name = $set_name AND member > $after
ORDER BY set_name, member LIMIT ${PAGE_ROWS};`,
});
export const LEASES_AFTER = query({
  name: 'lease/leases-after',
  parameters: { set_name: 'Utf8', after: 'Uint32' },
  results: [LEASE],
  text: `SELECT shard, token, owner, expires_at FROM lease WHERE set_name = $set_name AND shard > $after
ORDER BY set_name, shard LIMIT ${PAGE_ROWS};`,
});
/** Some leases of a set, with the facts that a step is decided by. */
export const LEASE_READ = query({
  name: 'lease/read',
  parameters: { set_name: 'Utf8', keys: rows(key) },
  results: [{ now: 'Timestamp' }, { shards: 'Uint32' }, tables.leases.columns],
  text: `SELECT CurrentUtcTimestamp() AS now;
SELECT shards FROM lease_set WHERE set_name = $set_name;
SELECT l.set_name AS set_name, l.shard AS shard, l.token AS token, l.owner AS owner, l.expires_at AS expires_at
FROM AS_TABLE($keys) AS k INNER JOIN lease AS l ON l.set_name = k.set_name AND l.shard = k.shard;`,
});
export const LEASE_WRITE = query({
  name: 'lease/write',
  parameters: {
    sets: rows(tables.leaseSets.columns),
    gone: rows({ set_name: 'Utf8', member: 'Utf8' }),
    members: rows(tables.leaseMembers.columns),
    leases: rows(tables.leases.columns),
  },
  results: [],
  text: `UPSERT INTO lease_set SELECT set_name, shards FROM AS_TABLE($sets);
DELETE FROM lease_member ON SELECT set_name, member FROM AS_TABLE($gone);
UPSERT INTO lease_member SELECT set_name, member, expires_at FROM AS_TABLE($members);
UPSERT INTO lease SELECT set_name, shard, token, owner, expires_at FROM AS_TABLE($leases);`,
});
export const LEASE_SETS = query({
  name: 'lease/sets',
  parameters: { after: 'Utf8' },
  results: [{ set_name: 'Utf8' }],
  text: `SELECT set_name FROM lease_set WHERE set_name > $after ORDER BY set_name LIMIT ${PAGE_ROWS};`,
});
export const leaseQueries = [LEASE_VIEW, MEMBERS_AFTER, LEASES_AFTER, LEASE_READ, LEASE_WRITE, LEASE_SETS];
