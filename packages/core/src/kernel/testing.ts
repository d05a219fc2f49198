export { direct, type Env, type Io, type Op } from './testing/io.ts';
