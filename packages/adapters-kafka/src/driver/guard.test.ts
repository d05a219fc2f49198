import { expect, test } from 'vitest';
import { guard } from './guard.ts';

const thrown = (type: string, more: object = {}): Error =>
  Object.assign(new Error('something about a topic'), { type, ...more });

test.each([
  [
    'a lost connection',
    Object.assign(new Error('Connection timeout'), { code: 'ETIMEDOUT' }),
    true,
    /timeout/,
  ],
  ['a broker that has no leader', thrown('LEADER_NOT_AVAILABLE'), true, /LEADER_NOT_AVAILABLE/],
  [
    'retries that wrap a refusal',
    Object.assign(new Error('retries exceeded'), { cause: thrown('MESSAGE_TOO_LARGE') }),
    false,
    /MESSAGE_TOO_LARGE/,
  ],
  [
    'several errors in one',
    Object.assign(new Error('creation errors'), { errors: [thrown('INVALID_REPLICATION_FACTOR')] }),
    false,
    /INVALID_REPLICATION_FACTOR/,
  ],
  ['no rights', thrown('TOPIC_AUTHORIZATION_FAILED'), false, /AUTHORIZATION/],
])(
  '[B6] %s: the error says what happened and whether a retry can help',
  async (_name, cause, retryable, words) => {
    const failed = (await guard('log.publish', () => Promise.reject(cause)))._unsafeUnwrapErr();
    expect(failed).toMatchObject({ kind: 'Unavailable', retryable, cause });
    expect(failed.what).toMatch(words);
  },
);
