export { testParts as snippetParts } from './test-config.ts';
