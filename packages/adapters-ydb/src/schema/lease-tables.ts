import { table } from './table-spec.ts';

export const leaseSets = table({
  name: 'lease_set',
  columns: { set_name: 'Utf8', shards: 'Uint32' },
  primaryKey: ['set_name'],
});
export const leaseMembers = table({
  name: 'lease_member',
  columns: { set_name: 'Utf8', member: 'Utf8', expires_at: 'Timestamp' },
  primaryKey: ['set_name', 'member'],
});
/** A lease without an owner is free. The token only grows. */
export const leases = table({
  name: 'lease',
  columns: { set_name: 'Utf8', shard: 'Uint32', token: 'Uint64', owner: 'Utf8?', expires_at: 'Timestamp?' },
  primaryKey: ['set_name', 'shard'],
});
export const leaseTables = [leaseSets, leaseMembers, leases];
