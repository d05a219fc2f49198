export { type EmbeddedProblem } from './problem.ts';
export { identify, isAlive, type ProcessIdentity } from './process-identity.ts';
export { type EmbeddedPostgres } from './server.ts';
export { startEmbeddedPostgres, type EmbeddedOptions } from './start.ts';
