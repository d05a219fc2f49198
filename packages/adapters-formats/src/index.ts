export { formatReader } from './format-reader.ts';
