export { ctrStoresContract, sampleOffer, type CtrStoresHarness } from './testing/ctr-stores.contract.ts';
export { clickCountsContract, type ClickCountsHarness } from './testing/click-counts.contract.ts';
export { inMemoryClickCounts } from './testing/in-memory-click-counts.ts';
export { inMemoryCtrStores } from './testing/in-memory-ctr-stores.ts';
export {
  inMemoryTableSource,
  memoryTables,
  type MemoryTable,
  type MemoryTables,
} from './testing/in-memory-table-source.ts';
export { tableSourceContract, type TableSourceHarness } from './testing/table-source.contract.ts';
export { inMemoryParkingLot } from './testing/in-memory-parking-lot.ts';
export { parkingLotContract, type ParkingLotHarness } from './testing/parking-lot.contract.ts';
