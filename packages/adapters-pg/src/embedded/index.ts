export { type EmbeddedProblem } from './problem.ts';
export { type EmbeddedPostgres } from './server.ts';
export { startEmbeddedPostgres, type EmbeddedOptions } from './start.ts';
