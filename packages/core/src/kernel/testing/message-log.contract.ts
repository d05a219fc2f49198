import { describe } from 'vitest';
import { logConsumingContract } from './log-consuming.contract.ts';
import { logGroupsContract } from './log-groups.contract.ts';
import type { MessageLogHarness } from './log-harness.ts';
import { logPublishingContract } from './log-publishing.contract.ts';
import { logReadingContract } from './log-reading.contract.ts';

/** All that the MessageLog port promises, on one backend. */
export const messageLogContract = (backend: string, harness: MessageLogHarness): void => {
  describe(`MessageLog contract: ${backend}`, () => {
    logPublishingContract(harness);
    logReadingContract(harness);
    logConsumingContract(harness);
    logGroupsContract(harness);
  });
};
