import { memoryDatabase } from '@doska/core/kernel/testing';
import type { ParkingLot } from '@doska/core/search';
import { inMemoryParkingLot, parkingLotContract } from '@doska/core/search/testing';
import { RIGHT } from './breakage.ts';
import { brokenParkingLots } from './broken-parking.ts';

const suite = (name: string, broken: (right: ParkingLot) => ParkingLot): void => {
  parkingLotContract(name, {
    open: async () => ({
      lot: broken(inMemoryParkingLot(memoryDatabase({ nowMs: () => 0 }))),
      close: async () => {},
    }),
  });
};
suite(RIGHT, (right) => right);
for (const { name, broken } of brokenParkingLots) suite(name, broken);
