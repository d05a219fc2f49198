export { guard } from './driver/guard.ts';
export { createPool, type PoolOptions } from './driver/pool.ts';
export { type MigrationError } from './migrations/migration-error.ts';
export { migrate, pendingMigrations, type Migrated, type MigrateOptions } from './migrations/migrate.ts';
