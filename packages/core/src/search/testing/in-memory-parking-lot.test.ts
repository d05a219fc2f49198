import { memoryDatabase } from '../../kernel/testing.ts';
import { inMemoryParkingLot } from './in-memory-parking-lot.ts';
import { parkingLotContract } from './parking-lot.contract.ts';

for (const mode of ['plain', 'constrained'] as const)
  parkingLotContract(`memory, ${mode}`, {
    open: async () => ({
      lot: inMemoryParkingLot(memoryDatabase({ nowMs: () => 0, mode })),
      close: async () => {},
    }),
  });
