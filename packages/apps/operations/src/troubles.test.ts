import { unavailable } from '@doska/core/kernel';
import { expect, test } from 'vitest';
import { seeProcesses, troublesOf } from './troubles.ts';

const self = {
  id: 'self',
  apps: ['operations'],
  version: '0.1.0',
  host: 'a',
  pid: 1,
  startedAtMs: 0,
  workers: [],
};
const worker = { name: 'gost-export', app: 'gost-scheduler', restarts: 2, sinceMs: 0 };
const other = {
  ...self,
  id: 'other',
  apps: ['gost-scheduler', 'photos'],
  host: 'b',
  pid: 2,
  heartbeatAtMs: 1_000,
  workers: [
    { ...worker, state: 'restarting' as const, lastError: 'boom' },
    { ...worker, name: 'gost-expiry', state: 'running' as const },
  ],
};

test('[X21] a process is missing exactly from the configured time on, and the answering one never is', () => {
  const at = (nowMs: number) =>
    seeProcesses(self, [other], nowMs, 5_000).map(({ id, isMissing }) => [id, isMissing]);
  expect(at(5_999)).toEqual([
    ['self', false],
    ['other', false],
  ]);
  expect(at(6_000)).toEqual([
    ['self', false],
    ['other', true],
  ]);
});
test('[X21] the answering process is shown once, as it is now', () => {
  const old = { ...other, id: 'self', heartbeatAtMs: 0 };
  expect(seeProcesses(self, [old], 9_000, 5_000)).toEqual([
    { ...self, heartbeatAtMs: 9_000, isMissing: false },
  ]);
});
test('[X21] troubles name first what can not be reached, then missing processes, then parts with their last error', () => {
  const reach = [
    { what: 'Kafka at k:9092', error: unavailable('log.groups', new Error('connection refused')) },
  ];
  expect(troublesOf(reach, seeProcesses(self, [other], 31_000, 5_000), 31_000)).toEqual([
    "Kafka at k:9092 can't be reached: connection refused.",
    'gost-scheduler, photos (process 2 on b) is missing: its last heartbeat was 30 s ago.',
    'gost-export of gost-scheduler, photos (process 2 on b) was restarting: boom.',
  ]);
  expect(troublesOf([], seeProcesses(self, [other], 2_000, 5_000), 2_000)).toEqual([
    'gost-export of gost-scheduler, photos (process 2 on b) is restarting: boom.',
  ]);
  expect(troublesOf([], seeProcesses(self, [], 2_000, 5_000), 2_000)).toEqual([]);
});

test('[X1] a blocked partition is named with its record, the reason and since when', () => {
  const blocked = {
    group: 'gost-feeds',
    topic: 'feed-offers',
    partition: 3,
    offset: 17,
    key: 's1',
    reason: 'the store is away',
    sinceMs: 0,
  };
  const processes = seeProcesses(self, [{ ...other, workers: [], blocked: [blocked] }], 2_000, 5_000);
  expect(troublesOf([], processes, 2_000)).toEqual([
    'feed-offers/3 of group gost-feeds in gost-scheduler, photos (process 2 on b) is blocked since 1970-01-01T00:00:00.000Z by record 17 (key "s1"): the store is away.',
  ]);
});
