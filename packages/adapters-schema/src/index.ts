export { loadSchemas, type WrongSchemas } from './load-schemas.ts';
